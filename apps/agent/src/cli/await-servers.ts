import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';
import type { Io } from './io.ts';

/** Time limit for the first connections. `npx` may have to download a server. */
const FIRST_CONNECTION_MS = 60_000;
/** Delay until the terminal shows the servers that are still connecting. */
const SILENT_MS = 2000;

/**
 * Waits up to a minute until the named servers, or all servers, have connected or failed for the first time. The first Ctrl-C ends the wait and starts the task without them.
 */
export async function awaitServers(
  io: Io,
  registry: Pick<ToolDispatcher, 'servers' | 'settled'>,
  names: readonly string[],
): Promise<void> {
  const { promise: interrupted, resolve: interrupt } = Promise.withResolvers<void>();
  const unsubscribe = io.onInterrupt(interrupt);
  const notice = setTimeout(() => {
    const connecting = registry
      .servers()
      .filter(
        ({ name, state }) => state === 'connecting' && (names.length === 0 || names.includes(name)),
      );
    io.err(
      `waiting for ${connecting.map(({ name }) => name).join(', ')} to connect, at most ${FIRST_CONNECTION_MS / 1000} s; Ctrl-C continues without them\n`,
    );
  }, SILENT_MS);
  try {
    await Promise.race([
      registry.settled(FIRST_CONNECTION_MS, names.length === 0 ? undefined : names),
      interrupted,
    ]);
  } finally {
    clearTimeout(notice);
    unsubscribe();
  }
}
