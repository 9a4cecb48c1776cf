import type { ServerStatus } from '../../ports/tool-catalogue.ts';
import type { Clock } from '../../ports/clock.ts';

/** Servers whose connections are waited for: those of this process, or those of the catalogue. */
interface Servers {
  servers(): readonly ServerStatus[] | Promise<readonly ServerStatus[]>;
  settled(timeoutMs: number, servers: readonly string[]): Promise<void>;
}

interface Wait {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Longest wait for a server that connects, in milliseconds. */
const CONNECT_WAIT_MS = 15_000;

/**
 * Waits for servers in their first attempt to connect, at most for the limit or until the signal
 * aborts. Waits for all servers when none is named. Does not wait for servers that are ready or
 * have failed before, which the run may not need.
 */
export function firstConnections(
  source: Servers,
  wanted: readonly string[] | undefined,
  wait: Wait,
): Promise<void> {
  return connected(
    source,
    ({ name, restarts }) => restarts === 0 && (wanted?.includes(name) ?? true),
    wait,
  );
}

/** Waits for the server of a call while it connects, up to the limit or until the signal aborts. */
export function serverConnected(source: Servers, server: string, wait: Wait): Promise<void> {
  return connected(source, ({ name }) => name === server, wait);
}

async function connected(
  source: Servers,
  isNeeded: (server: ServerStatus) => boolean,
  { clock, signal }: Wait,
): Promise<void> {
  const awaited = (await source.servers()).filter(
    (server) => server.state === 'connecting' && isNeeded(server),
  );
  // A clock that was set back does not extend the wait.
  const waitMs = Math.min(
    CONNECT_WAIT_MS,
    Math.max(0, ...awaited.map(({ since }) => since + CONNECT_WAIT_MS - clock.now())),
  );
  if (signal.aborted || waitMs === 0) return;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const onAbort = (): void => stop();
  signal.addEventListener('abort', onAbort);
  await Promise.race([
    source.settled(
      waitMs,
      awaited.map(({ name }) => name),
    ),
    stopped,
  ]);
  signal.removeEventListener('abort', onAbort);
}
