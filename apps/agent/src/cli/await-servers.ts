import type { ToolRegistry } from '../ports/tool-registry.ts';
import type { Io } from './io.ts';

/** A server that `npx` fetches first may take a while to connect; none has longer by default. */
const FIRST_CONNECTION_MS = 60_000;
/** Before the person at the terminal hears what is waited for. */
const SILENT_MS = 2000;

/**
 * Waits until the servers (all when none is named) have connected or failed for the first time, at most a minute. The first Ctrl-C ends the wait, and the task goes on without them.
 */
export async function awaitServers(
  io: Io,
  registry: Pick<ToolRegistry, 'servers' | 'settled'>,
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
      `waiting for ${connecting.map(({ name }) => name).join(', ')} to connect, at most ${FIRST_CONNECTION_MS / 1000} s; Ctrl-C goes on without\n`,
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
