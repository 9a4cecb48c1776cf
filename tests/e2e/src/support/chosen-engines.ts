import { hasPostgres, startPostgres } from '../../../peers/src/postgres-engine.ts';
import { hasRedis, startRedis } from '../../../peers/src/redis-server.ts';

const STORES = ['sqlite', 'postgres'];
const QUEUES = ['memory', 'bullmq-redis', 'bullmq-postgres'];

/** The servers of the store and the queue that a command line chose. */
export interface ChosenEngines {
  /** Variables of the tests, from which each service gets its own, see `engineVariables`. */
  readonly env: { readonly [name: string]: string };
  /** Ends the servers. */
  stop(): Promise<void>;
}

/**
 * Takes the options `--store` (default `sqlite`) and `--queue` (default `memory`) out of the
 * arguments, and starts their servers. Ends the process with 2 when a value is unknown or a server is
 * not installed.
 */
export async function startChosenEngines(args: string[]): Promise<ChosenEngines> {
  const store = takeOption(args, '--store', STORES);
  const queue = takeOption(args, '--queue', QUEUES);
  if (queue === 'bullmq-redis' && !hasRedis) fail('redis-server is not installed');
  if (store === 'postgres' && !hasPostgres) fail('npm has no PostgreSQL for this platform');
  if (queue === 'bullmq-postgres' && store !== 'postgres')
    fail('--queue bullmq-postgres needs --store postgres');
  const redis = queue === 'bullmq-redis' ? await startRedis() : undefined;
  const postgres = store === 'postgres' ? await startPostgres() : undefined;
  return {
    env: {
      ...(redis === undefined ? {} : { E2E_REDIS_URL: redis.url }),
      ...(postgres === undefined ? {} : { E2E_POSTGRES_URL: postgres.url }),
      ...(queue === 'bullmq-postgres' ? { E2E_QUEUE: queue } : {}),
    },
    async stop() {
      await redis?.stop();
      await postgres?.close();
    },
  };
}

/** Takes `--NAME VALUE` or `--NAME=VALUE`. Default: the first of the values. */
function takeOption(args: string[], name: string, values: readonly string[]): string {
  const place = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  if (place < 0) return values[0] ?? '';
  const [given = ''] = args.splice(place, 1);
  const value = given === name ? args.splice(place, 1)[0] : given.slice(name.length + 1);
  if (value === undefined || !values.includes(value))
    fail(`${name} must be one of ${values.join(', ')}`);
  return value;
}

function fail(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
