import { median, type FiguresByTable } from './figures.ts';
import type { Subject } from './implementations.ts';
import type { Load } from './load.ts';
import { cpuMsOf, residentMibOf } from './process-readings.ts';
import { startServer } from './server-process.ts';

/**
 * Starts a server, opens a connection and lists its tools, several times.
 * @throws Error when the server ends or answers with an error
 */
export async function measureStart(subject: Subject, load: Load, nodeArguments: readonly string[]): Promise<FiguresByTable> {
  const starts: Start[] = [];
  for (let count = 0; count < load.starts; count += 1) starts.push(await startOnce(subject, nodeArguments));
  return {
    start: {
      cpuMs: median(starts.map(({ cpuMs }) => cpuMs)),
      readyMs: median(starts.map(({ readyMs }) => readyMs)),
      residentMib: median(starts.map(({ residentMib }) => residentMib)),
    },
  };
}

interface Start {
  readonly cpuMs: number;
  readonly readyMs: number;
  readonly residentMib: number;
}

async function startOnce({ implementation, era }: Subject, nodeArguments: readonly string[]): Promise<Start> {
  const begun = performance.now();
  const server = startServer(implementation.server, { era, nodeArguments, reportsUsage: false });
  try {
    await server.connection.open();
    await server.connection.request('tools/list', {});
    const readyMs = performance.now() - begun;
    return { readyMs, cpuMs: cpuMsOf(server.pid), residentMib: residentMibOf(server.pid) };
  } finally {
    await server.stop();
  }
}
