import { expect, test } from 'vitest';
import { hasRedis } from './testing/redis-server.ts';

const MISSING = 'redis-server is not installed, so the tests of Redis did not run';

test('redis-server is installed, at least in CI', ({ task, skip }) => {
  expect(hasRedis || process.env['CI'] === undefined, MISSING).toBe(true);
  if (hasRedis) return;
  Object.assign(task.meta, { note: MISSING });
  skip(MISSING);
});
