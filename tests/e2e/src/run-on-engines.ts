// npm run e2e -- --store postgres --queue bullmq-redis [FILES…]: the tests of this package, each service on the chosen store and queue; bullmq-postgres is for services with PostgreSQL. Further arguments go to vitest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hasPostgres, startPostgres } from '../../peers/src/postgres-engine.ts';
import { hasRedis, startRedis } from '../../peers/src/redis-server.ts';

const STORES = ['sqlite', 'postgres'];
const QUEUES = ['memory', 'bullmq-redis', 'bullmq-postgres'];

/** Tests that read the file of SQLite. */
const FOR_SQLITE = ['src/chaos/chaos.test.ts'];

const rest = process.argv.slice(2);
const store = option('--store', STORES);
const queue = option('--queue', QUEUES);
if (queue === 'bullmq-redis' && !hasRedis) fail('redis-server is not installed');
if (store === 'postgres' && !hasPostgres) fail('npm has no PostgreSQL for this platform');

const redis = queue === 'bullmq-redis' ? await startRedis() : undefined;
const postgres = store === 'postgres' ? await startPostgres() : undefined;
if (postgres !== undefined) {
  process.stderr.write(`without ${FOR_SQLITE.join(', ')}, which read the file of SQLite\n`);
  rest.push(...FOR_SQLITE.flatMap((file) => ['--exclude', file]));
}
const tests = spawn('vitest', ['run', ...rest], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ...(redis === undefined ? {} : { E2E_REDIS_URL: redis.url }),
    ...(postgres === undefined ? {} : { E2E_POSTGRES_URL: postgres.url }),
    ...(queue === 'bullmq-postgres' ? { E2E_QUEUE: queue } : {}),
  },
});
const [code] = (await once(tests, 'exit')) as [number | null];
await redis?.stop();
await postgres?.close();
process.exitCode = code ?? 1;

/** Takes an option out of the arguments. Default: the first of its values. */
function option(name: string, values: readonly string[]): string {
  const place = rest.indexOf(name);
  const [, value = values[0] ?? ''] = place < 0 ? [] : rest.splice(place, 2);
  if (!values.includes(value)) fail(`${name} must be one of ${values.join(', ')}`);
  return value;
}

function fail(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
