import type { Figures } from './figures.ts';
import { FloorHttpConnection } from './floor/http-connection.ts';
import type { Implementation } from './implementations.ts';
import { startHttpServer } from './server-process.ts';

/** Sessions to open before the measurement, so that the code is compiled: compiled code is part of the heap. */
const FIRST_SESSIONS = 300;

/** Tools of the server: the number that the target was set for. */
export const SESSION_TOOLS = 22;

/**
 * Opens so many sessions on a server with `SESSION_TOOLS` tools and leaves them alone.
 * @throws Error when the server ends or answers with an error
 */
export async function measureSessions(
  implementation: Implementation,
  sessions: number,
  nodeArguments: readonly string[],
): Promise<Figures> {
  const server = await startHttpServer(
    [implementation.httpServer, 'sessions', String(SESSION_TOOLS)],
    [...nodeArguments, '--expose-gc'],
  );
  const connection = new FloorHttpConnection(server.port, 'legacy');
  const open = async (count: number): Promise<void> => {
    for (let opened = 0; opened < count; opened += 1) await connection.open();
  };
  try {
    await open(FIRST_SESSIONS);
    const heapBefore = await server.heapBytes();
    const cpuBefore = await server.cpuMicros();
    await open(sessions);
    const cpuMicros = (await server.cpuMicros()) - cpuBefore;
    const heapBytes = (await server.heapBytes()) - heapBefore;
    return { heapKib: heapBytes / sessions / 1024, openMicros: cpuMicros / sessions };
  } finally {
    connection.close();
    await server.stop();
  }
}
