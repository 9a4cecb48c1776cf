import type { ServerStatus } from '../../ports/tool-registry.ts';
import type { Uses } from '../core/engine-parts.ts';

/** How long a server may take to connect before every step goes on without it. */
const CONNECT_WAIT_MS = 15_000;

/**
 * Resolves when none of the servers (all when not named) is in its first attempt to connect, when those that are had their time, or when the signal aborts. A server that was ready or failed before
 * is not waited for: a run that does not need it loses no time.
 */
export function firstConnections(
  context: Uses<'registry' | 'clock'>,
  servers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<void> {
  return connected(
    context,
    ({ name, restarts }) => restarts === 0 && (servers?.includes(name) ?? true),
    signal,
  );
}

/** Resolves when the server, which a call needs, is not connecting, had its time, or the signal aborts. */
export function serverConnected(
  context: Uses<'registry' | 'clock'>,
  server: string,
  signal: AbortSignal,
): Promise<void> {
  return connected(context, ({ name }) => name === server, signal);
}

async function connected(
  { registry, clock }: Uses<'registry' | 'clock'>,
  isNeeded: (server: ServerStatus) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const awaited = registry
    .servers()
    .filter((server) => server.state === 'connecting' && isNeeded(server));
  // A clock that was set back makes nobody wait longer.
  const waitMs = Math.min(
    CONNECT_WAIT_MS,
    Math.max(0, ...awaited.map(({ since }) => since + CONNECT_WAIT_MS - clock.now())),
  );
  if (signal.aborted || waitMs === 0) return;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const onAbort = (): void => stop();
  signal.addEventListener('abort', onAbort);
  await Promise.race([
    registry.settled(
      waitMs,
      awaited.map(({ name }) => name),
    ),
    stopped,
  ]);
  signal.removeEventListener('abort', onAbort);
}
