import { networkOf, type Costs } from './costs.ts';
import { predict, type Prediction } from './queueing-model.ts';

export interface PlannedLoad {
  /** Runs that are in a turn at the same time. */
  readonly runs: number;
  /** Seconds that the model, and the tools of a turn, take. */
  readonly modelSeconds: number;
  readonly toolSeconds: number;
}

export interface Plan {
  readonly turnsPerSecond: number;
  readonly apis: number;
  readonly workers: number;
  /** Model calls and tool calls in progress in each worker. */
  readonly modelCallsPerWorker: number;
  readonly toolCallsPerWorker: number;
  readonly postgresCores: number;
  readonly postgresConnections: number;
  readonly transactionsPerSecond: number;
  /** Each uses one core, and serves a service of its own with its database. */
  readonly redisServers: number;
  readonly redisCommandsPerSecond: number;
  /** Cores and memory of all processes of the service. */
  readonly serviceCores: number;
  readonly serviceGib: number;
  /** Prediction of the model for this deployment. */
  readonly predicted: Prediction;
}

/** Share of its capacity that a process or a core is planned for. */
export const PLANNED_UTILIZATION = 0.6;

/** Connections of a process to PostgreSQL by default: ten of its pool and one that holds its lock. */
const CONNECTIONS = 11;

/** Returns the deployment that a load needs, with the PostgreSQL store and BullMQ on Redis. */
export function planFor(costs: Costs, { runs, modelSeconds, toolSeconds }: PlannedLoad): Plan {
  const delay = modelSeconds + toolSeconds;
  const turnsPerSecond = runs / (delay + costs.waiting);
  const units = (demand: number): number =>
    Math.max(1, Math.ceil((turnsPerSecond * demand) / PLANNED_UTILIZATION));
  const apis = units(costs.api);
  const workers = units(costs.worker);
  const postgresCores = units(costs.postgres);
  const redis = units(costs.redis);
  const servers = { apis, workers, postgresCores, redis };
  const predicted = predict(networkOf(costs, servers, delay), runs);
  return {
    turnsPerSecond: predicted.throughput,
    apis,
    workers,
    modelCallsPerWorker: Math.ceil((predicted.throughput * modelSeconds) / workers),
    toolCallsPerWorker: Math.ceil((predicted.throughput * toolSeconds) / workers),
    postgresCores,
    postgresConnections: (apis + workers) * CONNECTIONS,
    transactionsPerSecond: predicted.throughput * costs.transactions,
    redisServers: redis,
    redisCommandsPerSecond: predicted.throughput * costs.redisCommands,
    serviceCores: apis + workers,
    serviceGib: (apis + workers) * costs.processGib,
    predicted,
  };
}
