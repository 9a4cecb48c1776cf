import type { ServerConfig } from '../config/config.ts';
import { transportOf } from '../mcp/server-status.ts';
import type { Clock } from '../ports/clock.ts';
import { ServerUnavailableError } from '../ports/server-directory.ts';
import type { ListedTool } from '../ports/server-state.ts';
import type { FleetStore, FleetWorker, StoredServerState } from '../ports/store/fleet.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';

/** A server in the configuration of this process. */
export type ConfiguredServer = Pick<
  ServerStatus,
  'name' | 'configuredName' | 'transport' | 'roots'
>;

export interface StoredServersOptions {
  readonly fleet: Pick<FleetStore, 'workers' | 'states' | 'listedTools'>;
  readonly configured: readonly ConfiguredServer[];
  /** Statuses of servers whose configuration cannot be used. */
  readonly invalid?: readonly ServerStatus[];
  readonly clock: Clock;
}

/** A configured server with its stored states. */
export interface StoredServer {
  readonly status: ServerStatus;
  /** State on the worker that is asked first; undefined as long as no worker has stored one. */
  readonly best: StoredServerState | undefined;
}

export interface StoredFleet {
  readonly workers: readonly FleetWorker[];
  readonly servers: readonly StoredServer[];
}

const NO_WORKER =
  'no worker process is running, so no server is connected; start one with: signalbox serve --role worker';

/** Order in which the states of a server on several workers are preferred. */
const PREFERENCE: readonly ServerStatus['state'][] = [
  'ready',
  'connecting',
  'draining',
  'needs_login',
  'failed',
  'drained',
  'closed',
  'invalid',
];

/** Maximum number of lists of tools that are kept in memory. */
const MAX_LISTS = 256;

/** Returns what is known about servers from their configuration. */
export function configuredServers(servers: readonly ServerConfig[]): readonly ConfiguredServer[] {
  return servers.map((server) => ({
    name: server.name,
    ...(server.configuredName === undefined ? {} : { configuredName: server.configuredName }),
    transport: transportOf(server),
    roots: server.roots,
  }));
}

/** The configured servers with the states that workers stored. */
export class StoredServers {
  readonly #options: StoredServersOptions;
  readonly #lists = new Map<string, readonly ListedTool[]>();

  constructor(options: StoredServersOptions) {
    this.#options = options;
  }

  async read(): Promise<StoredFleet> {
    const { fleet, configured, invalid = [] } = this.#options;
    const [workers, states] = await Promise.all([fleet.workers(), fleet.states()]);
    const byName = Map.groupBy(states, ({ status }) => status.name);
    const servers = configured.map((server) =>
      this.#merged(server, byName.get(server.name) ?? [], workers),
    );
    return {
      workers,
      servers: [...servers, ...invalid.map((status) => ({ status, best: undefined }))],
    };
  }

  /** Returns the tools of a server, including withheld ones. */
  async toolsOf({ best }: Pick<StoredServer, 'best'>): Promise<readonly ListedTool[]> {
    if (best === undefined) return [];
    const known = this.#lists.get(best.toolsDigest);
    if (known !== undefined) return known;
    const tools = (await this.#options.fleet.listedTools(best.toolsDigest)) ?? [];
    if (this.#lists.size >= MAX_LISTS) this.#lists.clear();
    this.#lists.set(best.toolsDigest, tools);
    return tools;
  }

  #merged(
    server: ConfiguredServer,
    states: readonly StoredServerState[],
    workers: readonly FleetWorker[],
  ): StoredServer {
    const [best] = states.toSorted((left, right) => preference(left) - preference(right));
    if (best === undefined)
      return { best, status: unknownStatus(server, workers, this.#options.clock) };
    const statuses = states.map(({ workerId, status }) => ({ workerId, ...status }));
    return {
      best,
      status: {
        ...best.status,
        connections: statuses.flatMap(({ connections }) => connections),
        waiting: statuses.flatMap(({ waiting }) => waiting),
        workers: statuses.map(({ workerId, state, since, error }) => ({
          workerId,
          state,
          since,
          ...(error === undefined ? {} : { error }),
        })),
      },
    };
  }
}

/** Returns the error of an operation that needs a worker when no worker is running. */
export function noWorker(): ServerUnavailableError {
  return new ServerUnavailableError(NO_WORKER);
}

/** Prefers offering workers, then the better state. */
function preference({ isOffering, status }: StoredServerState): number {
  return (isOffering ? 0 : PREFERENCE.length) + PREFERENCE.indexOf(status.state);
}

/** Returns the status of a server without a stored state. */
function unknownStatus(
  { name, configuredName, transport, roots }: ConfiguredServer,
  workers: readonly FleetWorker[],
  clock: Clock,
): ServerStatus {
  const latest = workers.at(-1);
  return {
    name,
    ...(configuredName === undefined ? {} : { configuredName }),
    transport,
    roots,
    ...(latest === undefined
      ? { state: 'failed', error: NO_WORKER, since: clock.now() }
      : { state: 'connecting', since: latest.startedAt }),
    breaker: { state: 'closed', failures: 0 },
    quarantined: [],
    toolCount: 0,
    warnings: [],
    connections: [],
    waiting: [],
    restarts: 0,
    workers: [],
  };
}
