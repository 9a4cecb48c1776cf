import { EventEmitter } from 'node:events';
import type { Queue } from 'bullmq';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Job } from '../ports/job-queue.ts';
import type { Logger } from '../ports/logger.ts';
import { quietLogger } from '../redis/testing/redis-world.ts';
import { execute, hasPostgres, postgresForTests } from '../store/postgres/testing/postgres.ts';
import { systemClock } from '../system/system-clock.ts';
import { createBullmqJobQueue } from './bullmq-job-queue.ts';
import { openPostgresQueue } from './open-postgres-queue.ts';
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

describe.skipIf(!hasPostgres)('BullMQ on a PostgreSQL that refuses its user', () => {
  const postgres = postgresForTests();

  /** Creates a database and a user that may use it. */
  async function databaseOf(
    user: string,
  ): Promise<{ readonly admin: string; readonly url: string }> {
    const admin = await postgres.newDatabase();
    await execute(admin, `create role ${user} login`);
    const address = new URL(admin);
    await execute(admin, `grant create on database ${address.pathname.slice(1)} to ${user}`);
    address.username = user;
    return { admin, url: address.href };
  }

  test('reports a job that cannot be enqueued without the name of the user', async () => {
    const { admin, url } = await databaseOf('queue_user');
    const engine = postgresEngine(url);
    const queue = createBullmqJobQueue({ engine, logger: quietLogger, onError: () => undefined });
    onTestFinished(() => engine.close());
    await engine.ready();
    await execute(
      admin,
      `alter role queue_user nologin; select pg_terminate_backend(pid) from pg_stat_activity where usename = 'queue_user'`,
    );
    let reported = '';
    await expect
      .poll(async () => {
        const error: unknown = await queue
          .enqueue({ type: 'call-tool', callId: 'c' })
          .catch((reason: unknown) => reason);
        reported = error instanceof Error ? String(error.stack) : '';
        return reported;
      })
      .toContain('28000: the server refuses the user');
    expect(reported).not.toContain('queue_user');
  });

  test('says at the start why, without the name of the user', async () => {
    const { admin, url } = await databaseOf('start_user');
    await execute(admin, 'alter role start_user nologin');
    const opening = openPostgresQueue({ url, clock: systemClock, logger: quietLogger });
    await expect(opening).rejects.toThrow('(28000: the server refuses the user)');
    await expect(opening).rejects.not.toThrow('role "start_user"');
  });
});
