// Starts PostgreSQL and Redis for check-image, in a network of their own. Prints their addresses as one line of JSON, or `null` where one of them is not
// installed, and ends them with its stdin.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { hasPostgres, startPostgres } from '../../../peers/src/postgres-engine.ts';
import { hasRedis, startRedis } from '../../../peers/src/redis-server.ts';

spawnSync('ip', ['link', 'set', 'lo', 'up']);
if (hasPostgres && hasRedis) {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const variables = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  process.stdout.write(`${JSON.stringify(variables)}\n`);
  await once(process.stdin.resume(), 'end');
  await Promise.all([postgres.close(), redis.stop()]);
} else process.stdout.write('null\n');
