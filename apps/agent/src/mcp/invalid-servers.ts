import type { InvalidServer } from '../config/config.ts';
import type { Logger } from '../ports/logger.ts';
import type { ServerDirectory } from '../ports/server-directory.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';

type Pool = ToolDispatcher & ServerDirectory;

/**
 * Adds invalid servers to a pool. They are listed as `invalid` with the reason, have no tools, and
 * are logged when the pool starts.
 */
export function withInvalidServers(
  pool: Pool,
  invalid: readonly InvalidServer[],
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Pool {
  if (invalid.length === 0) return pool;
  const statuses = invalid.map((server) => statusOf(server, clock.now()));
  return {
    ...pool,
    start() {
      for (const { name, configuredName, error } of statuses)
        logger.warn('a server is left out: its configuration is invalid', {
          server: configuredName ?? name,
          error,
        });
      pool.start();
    },
    servers: () => [...pool.servers(), ...statuses],
    whyNotOffered(wireName) {
      const status = statuses.find(({ name }) => name === wireName.split('__')[0]);
      return status === undefined
        ? pool.whyNotOffered(wireName)
        : `server ${status.name} is invalid: ${status.error}`;
    },
  };
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
