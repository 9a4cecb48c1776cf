import { medianOf, type Row } from '../results.ts';
import type { Combination } from './combinations.ts';
import type { Network, Station } from './queueing-model.ts';

/** Cost of a turn, measured. Times in seconds. */
export interface Costs {
  readonly api: number;
  /** Zero where one process does everything. */
  readonly worker: number;
  readonly postgres: number;
  readonly redis: number;
  /** Time in which no process works: commits to the disk, and waking up. */
  readonly waiting: number;
  /** Transactions of PostgreSQL and commands of Redis. */
  readonly transactions: number;
  readonly redisCommands: number;
  /** Peak resident memory of a process in GiB. */
  readonly processGib: number;
}

const GIB_PER_MB = 1e6 / 2 ** 30;

export function costsOf(row: Row): Costs {
  const seconds = (figure: string): number => medianOf(row, figure) / 1000;
  const aloneCpu = ['apiMs', 'workersMs', 'clientMs', 'postgresMs', 'redisMs'].reduce(
    (sum, figure) => sum + seconds(`${figure}Alone`),
    0,
  );
  return {
    api: seconds('apiMs'),
    worker: seconds('workersMs'),
    postgres: seconds('postgresMs'),
    redis: seconds('redisMs'),
    waiting: Math.max(0, seconds('turnMs') - aloneCpu),
    transactions: medianOf(row, 'commits'),
    redisCommands: medianOf(row, 'redisCommands'),
    processGib: medianOf(row, 'peakMb') * GIB_PER_MB,
  };
}

/** Numbers of processes and cores that serve turns. */
export interface Servers {
  readonly apis: number;
  readonly workers: number;
  readonly postgresCores: number;
  readonly redis: number;
}

/** Returns the network of a deployment whose turns wait for `delay` seconds besides. */
export function networkOf(costs: Costs, servers: Servers, delay: number): Network {
  const stations: readonly Station[] = [
    { name: 'API processes', demand: costs.api, servers: servers.apis },
    { name: 'workers', demand: costs.worker, servers: Math.max(1, servers.workers) },
    { name: 'PostgreSQL', demand: costs.postgres, servers: servers.postgresCores },
    { name: 'Redis', demand: costs.redis, servers: servers.redis },
  ];
  return { stations: stations.filter(({ demand }) => demand > 0), delay: costs.waiting + delay };
}

/** The network of a measurement, in which the client of the benchmark is a station too. */
export function measuredNetwork(row: Row, { workers }: Combination, cores: number): Network {
  const costs = costsOf(row);
  const { stations, delay } = networkOf(
    costs,
    { apis: 1, workers, postgresCores: cores, redis: 1 },
    0,
  );
  const client = { name: 'client', demand: medianOf(row, 'clientMs') / 1000, servers: 1 };
  return { stations: [...stations, client], delay };
}
