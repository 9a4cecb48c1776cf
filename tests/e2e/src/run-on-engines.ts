// npm run e2e -- --queue bullmq-redis [FILES…]: the tests of this package, each service on the chosen engines. Further arguments go to vitest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { hasRedis, startRedis } from './support/redis-server.ts';

const QUEUES = ['memory', 'bullmq-redis'];

const { values, positionals } = parseArgs({
  options: { queue: { type: 'string', default: 'memory' } },
  allowPositionals: true,
});
if (!QUEUES.includes(values.queue)) fail(`--queue must be ${QUEUES.join(' or ')}`);
if (values.queue === 'bullmq-redis' && !hasRedis) fail('redis-server is not installed');

const redis = values.queue === 'bullmq-redis' ? await startRedis() : undefined;
const tests = spawn('vitest', ['run', ...positionals], {
  stdio: 'inherit',
  env: { ...process.env, ...(redis === undefined ? {} : { E2E_REDIS_URL: redis.url }) },
});
const [code] = (await once(tests, 'exit')) as [number | null];
await redis?.stop();
process.exitCode = code ?? 1;

function fail(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
