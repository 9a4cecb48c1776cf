import { expect, test } from 'vitest';
import { queueSetting, redisSettings } from './redis-settings.ts';

test('without REDIS_URL there is no Redis', () => {
  expect(redisSettings({})).toEqual({ notices: [] });
});

test('REDIS_URL and SIGNALBOX_REDIS_PREFIX name the Redis and the keys', () => {
  const REDIS_URL = 'rediss://ada:secret@redis.example:6380/3';
  expect(redisSettings({ REDIS_URL, SIGNALBOX_REDIS_PREFIX: 'team-a' })).toEqual({
    redis: { url: REDIS_URL, prefix: 'team-a' },
    notices: [],
  });
  expect(redisSettings({ REDIS_URL: 'redis://127.0.0.1' }).redis?.prefix).toBe('signalbox');
});

test('an unencrypted connection to another machine is noticed, without its address', () => {
  expect(redisSettings({ REDIS_URL: 'redis://:secret@redis.example' }).notices).toEqual([
    'REDIS_URL: the connection is not encrypted; use rediss:// outside of a private network',
  ]);
});

test.each([
  'redis.example:6379',
  'http://:secret@redis.example',
  'redis://',
  'redis://:secret@redis.example/jobs',
  'redis://:secret@redis.example:port',
])('the address %s is rejected without its text', (REDIS_URL) => {
  expect(() => redisSettings({ REDIS_URL })).toThrow(
    /^REDIS_URL: must be redis:\/\/\[USER:PASSWORD@\]HOST\[:PORT\]\[\/DATABASE\], or rediss:\/\/ for TLS; DATABASE is a number$/,
  );
});

test.each(['', 'a:b', 'x'.repeat(65)])('the prefix "%s" is rejected', (prefix) => {
  expect(() =>
    redisSettings({ REDIS_URL: 'redis://127.0.0.1', SIGNALBOX_REDIS_PREFIX: prefix }),
  ).toThrow('SIGNALBOX_REDIS_PREFIX: must be 1 to 64 letters');
});

test('SIGNALBOX_QUEUE puts the queue into the database of the service', () => {
  const DATABASE_URL = 'postgres://127.0.0.1/jobs';
  expect(queueSetting({ DATABASE_URL })).toBeUndefined();
  expect(queueSetting({ DATABASE_URL, SIGNALBOX_QUEUE: 'bullmq-postgres' })).toBe(
    'bullmq-postgres',
  );
  expect(() => queueSetting({ SIGNALBOX_QUEUE: 'bullmq-postgres' })).toThrow(
    'SIGNALBOX_QUEUE: bullmq-postgres needs DATABASE_URL',
  );
  expect(() => queueSetting({ DATABASE_URL, SIGNALBOX_QUEUE: 'kafka' })).toThrow(
    'SIGNALBOX_QUEUE: must be bullmq-postgres, or unset',
  );
});
