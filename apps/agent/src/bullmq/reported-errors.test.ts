import { EventEmitter } from 'node:events';
import type { Queue } from 'bullmq';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Job } from '../ports/job-queue.ts';
import type { Logger } from '../ports/logger.ts';
import { quietLogger } from '../redis/testing/redis-world.ts';
import { createBullmqJobQueue } from './bullmq-job-queue.ts';
import { postgresEngine } from './postgres-engine.ts';

test('an error that BullMQ reports again and again is logged every 10 seconds, without the name of the user', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const queue = new EventEmitter();
  const warn = vi.fn<Logger['warn']>();
  createBullmqJobQueue({
    engine: {
      ...postgresEngine('postgres://127.0.0.1:1/none'),
      // Only its errors are needed.
      createQueue: () => queue as unknown as Queue<Job>,
    },
    logger: { ...quietLogger, warn },
    onError: () => undefined,
  });
  const refused = Object.assign(new Error('too many connections for role "ada"'), {
    code: '53300',
  });
  const report = (): void => {
    for (const error of [refused, new Error('read ECONNRESET'), refused])
      queue.emit('error', error);
  };
  const texts = (): unknown[] => warn.mock.calls.map(([, fields]) => fields?.['error']);
  const both = ['53300: the server has no free connection', 'read ECONNRESET'];
  report();
  report();
  expect(texts()).toEqual(both);
  vi.advanceTimersByTime(10_000);
  report();
  expect(texts()).toEqual([...both, ...both]);
});
