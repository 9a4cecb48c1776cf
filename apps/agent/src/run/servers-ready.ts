import type { EngineContext } from './engine-context.ts';

/** How long a server may take to connect before every step goes on without it. */
const CONNECT_WAIT_MS = 15_000;

/** Resolves when none of the servers (all when not named) is connecting, when those that are had their time, or when the signal aborts. */
export async function serversReady({ registry, clock }: EngineContext, servers: readonly string[] | undefined, signal: AbortSignal): Promise<void> {
  const awaited = registry.servers().filter(({ name, state }) => state === 'connecting' && (servers?.includes(name) ?? true));
  // A clock that was set back makes nobody wait longer.
  const waitMs = Math.min(CONNECT_WAIT_MS, Math.max(0, ...awaited.map(({ since }) => since + CONNECT_WAIT_MS - clock.now())));
  if (signal.aborted || waitMs === 0) return;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const onAbort = (): void => stop();
  signal.addEventListener('abort', onAbort);
  await Promise.race([registry.settled(waitMs, servers), stopped]);
  signal.removeEventListener('abort', onAbort);
}
