import type { InvalidServer } from '../config/config.ts';
import type { Logger } from '../ports/logger.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import type { ServerPool } from './server-pool.ts';

/**
 * Adds invalid servers to a pool, as `invalid` returns them at each use. They are listed as `invalid` with the reason, have no tools, and
 * are logged when the pool starts.
 */
export function withInvalidServers(
  pool: ServerPool,
  invalid: () => readonly InvalidServer[],
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): ServerPool {
  const since = clock.now();
  const statuses = (): ReturnType<typeof invalidStatuses> =>
    invalid().map((server) => statusOf(server, since));
  return {
    ...pool,
    start() {
      for (const { name, configuredName, error } of statuses())
        logger.warn('a server is left out: its configuration is invalid', {
          server: configuredName ?? name,
          error,
        });
      pool.start();
    },
    servers: () => [...pool.servers(), ...statuses()],
    states: () => [
      ...pool.states(),
      ...statuses().map((status) => ({
        status,
        isOffering: false,
        capabilities: undefined,
        tools: [],
      })),
    ],
    whyNotOffered(wireName) {
      const status = statuses().find(({ name }) => name === wireName.split('__')[0]);
      return status === undefined
        ? pool.whyNotOffered(wireName)
        : `server ${status.name} is invalid: ${status.error}`;
    },
  };
}

/** Returns the statuses of servers whose configuration cannot be used. */
export function invalidStatuses(
  invalid: readonly InvalidServer[],
  clock: Clock,
): readonly (ServerStatus & { readonly error: string })[] {
  return invalid.map((server) => statusOf(server, clock.now()));
}

function statusOf(
  { name, configuredName, transport, problems }: InvalidServer,
  since: number,
): ServerStatus & { readonly error: string } {
  return {
    name,
    ...(configuredName === undefined ? {} : { configuredName }),
    transport,
    state: 'invalid',
    breaker: { state: 'closed', failures: 0 },
    quarantined: [],
    roots: [],
    toolCount: 0,
    warnings: [],
    error: problems.join('; '),
    since,
    connections: [],
    waiting: [],
    restarts: 0,
  };
}
