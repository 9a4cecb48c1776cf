// npm run e2e -- --queue bullmq-redis [FILES…]: the tests of this package, each service on the chosen queue; bullmq-postgres is for services with PostgreSQL. Further arguments go to vitest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hasRedis, startRedis } from './support/redis-server.ts';

const QUEUES = ['memory', 'bullmq-redis', 'bullmq-postgres'];

const rest = process.argv.slice(2);
const place = rest.indexOf('--queue');
const [, queue = 'memory'] = place < 0 ? [] : rest.splice(place, 2);
if (!QUEUES.includes(queue)) fail(`--queue must be one of ${QUEUES.join(', ')}`);
if (queue === 'bullmq-redis' && !hasRedis) fail('redis-server is not installed');

const redis = queue === 'bullmq-redis' ? await startRedis() : undefined;
const tests = spawn('vitest', ['run', ...rest], {
  stdio: 'inherit',
  env: {
    ...process.env,
    ...(redis === undefined ? {} : { E2E_REDIS_URL: redis.url }),
    ...(queue === 'bullmq-postgres' ? { E2E_QUEUE: queue } : {}),
  },
});
const [code] = (await once(tests, 'exit')) as [number | null];
await redis?.stop();
process.exitCode = code ?? 1;

function fail(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
