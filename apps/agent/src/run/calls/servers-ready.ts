import type { ServerStatus } from '../../ports/tool-registry.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Longest wait for a server that connects, in milliseconds. */
const CONNECT_WAIT_MS = 15_000;

/**
 * Waits for servers in their first attempt to connect (all servers when none is named), up to the
 * limit or until the signal aborts. Servers that were ready or failed before are not waited for, so
 * a run that does not need them loses no time.
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

/** Waits for the server of a call while it connects, up to the limit or until the signal aborts. */
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
    registry.settled(
      waitMs,
      awaited.map(({ name }) => name),
    ),
    stopped,
  ]);
  signal.removeEventListener('abort', onAbort);
}
