import type { EngineContext } from './engine-context.ts';

/** How long a step waits for a server that is still connecting; after that it goes on without. */
const CONNECT_WAIT_MS = 15_000;

/** Resolves when none of the servers (all when not named) is connecting, when the wait is over, or when the signal aborts. */
export async function serversReady({ registry }: EngineContext, servers: readonly string[] | undefined, signal: AbortSignal): Promise<void> {
  const isAwaited = (name: string): boolean => servers === undefined || servers.includes(name);
  if (signal.aborted || !registry.servers().some((server) => server.state === 'connecting' && isAwaited(server.name))) return;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const onAbort = (): void => stop();
  signal.addEventListener('abort', onAbort);
  await Promise.race([registry.settled(CONNECT_WAIT_MS, servers), stopped]);
  signal.removeEventListener('abort', onAbort);
}
