import { textOf } from './clients/bench-client.ts';
import { drive } from './drive.ts';
import { perOperation, type Figures, type FiguresByTable } from './figures.ts';
import type { FloorConnection } from './floor/connection.ts';
import type { Subject } from './implementations.ts';
import { CALLS_IN_FLIGHT, type Load } from './load.ts';
import { startServer, type ServerProcess } from './server-process.ts';

/**
 * Calls and lists the tools of a server.
 * @throws Error when an answer is wrong or the server ends
 */
export async function measureServer({ implementation, era }: Subject, load: Load, nodeArguments: readonly string[]): Promise<FiguresByTable> {
  const server = startServer(implementation.server, { era, nodeArguments, reportsUsage: true });
  const { connection } = server;
  const call = (): Promise<void> => callEcho(connection);
  const list = (): Promise<void> => listTools(connection);
  try {
    await connection.open();
    await drive(load.warmUpCalls / 10, 1, call);
    await drive(load.warmUpCalls * 0.9, CALLS_IN_FLIGHT, call);
    const serverSequential = await measure(server, load.sequentialCalls, () => drive(load.sequentialCalls, 1, call));
    const serverConcurrent = await measure(server, load.concurrentCalls, () => drive(load.concurrentCalls, CALLS_IN_FLIGHT, call));
    await drive(load.lists / 2, 1, list);
    const serverList = await measure(server, load.lists, () => drive(load.lists, 1, list));
    return { serverSequential, serverConcurrent, serverList };
  } finally {
    await server.stop();
  }
}

async function measure(server: ServerProcess, operations: number, work: () => Promise<number>): Promise<Figures> {
  const before = await server.cpuMicros();
  const elapsedMs = await work();
  return perOperation({ elapsedMs, cpuMicros: (await server.cpuMicros()) - before, operations });
}

async function callEcho(connection: FloorConnection): Promise<void> {
  const { content } = await connection.request('tools/call', { name: 'echo', arguments: { text: 'good day' } });
  if (textOf(content) !== 'good day') throw new Error('echo answered something else');
}

async function listTools(connection: FloorConnection): Promise<void> {
  const { tools } = await connection.request('tools/list', {});
  if (!Array.isArray(tools) || tools.length !== 30) throw new Error('tools/list did not answer with 30 tools');
}
