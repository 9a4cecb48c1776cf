import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { jobQueueContract, type QueueUnderTest } from '../ports/job-queue.contract.ts';
import type { Job, JobQueue } from '../ports/job-queue.ts';
import { quietLogger } from '../redis/testing/redis-world.ts';
import { hasPostgres, postgresForTests } from '../store/postgres/testing/postgres.ts';
import { createBullmqJobQueue } from './bullmq-job-queue.ts';
import { postgresEngine } from './postgres-engine.ts';

/** Present load of the workers of a queue. */
interface Load {
  /** Concurrent jobs by type. */
  slots: { readonly [type: string]: number };
  /** Number of running handlers. */
  running: number;
}

const TYPES = ['advance-run', 'call-tool'] as const;

describe.skipIf(!hasPostgres)('BullMQ on PostgreSQL', () => {
  const postgres = postgresForTests();
  let url: string;
  let admin: Client;
  beforeAll(async () => {
    url = await postgres.newDatabase();
    admin = new Client(url);
    await admin.connect();
  });
  afterAll(() => admin.end());
  beforeEach(() => {
    // BullMQ measures delays by Date.
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('delivers jobs when the address has a search path', async () => {
    const done = Promise.withResolvers<Job>();
    const engine = postgresEngine(`${url}?options=${encodeURIComponent('-c search_path=public')}`);
    const queue = createBullmqJobQueue({ engine, logger: quietLogger, onError: () => undefined });
    onTestFinished(async () => {
      await queue.close();
      await engine.close();
    });
    await engine.ready();
    const job: Job = { type: 'call-tool', callId: 'of-a-search-path' };
    queue.start(
      async (given) => {
        done.resolve(given);
        return 'done';
      },
      { concurrency: { 'advance-run': 1, 'call-tool': 1 } },
    );
    await queue.enqueue(job);
    expect(await done.promise).toEqual(job);
  });

  jobQueueContract('BullMQ on PostgreSQL', open);

  async function open(): Promise<QueueUnderTest> {
    const reported: unknown[] = [];
    const load: Load = { slots: {}, running: 0 };
    const inner = createBullmqJobQueue({
      engine: postgresEngine(url),
      logger: quietLogger,
      onError: (_job, error) => reported.push(error),
    });
    const queue: JobQueue = {
      enqueue: (...args) => inner.enqueue(...args),
      depth: () => inner.depth(),
      close() {
        load.slots = {};
        return inner.close();
      },
      start(handler, options) {
        load.slots = options.concurrency;
        inner.start(async (...job) => {
          load.running += 1;
          try {
            return await handler(...job);
          } finally {
            load.running -= 1;
          }
        }, options);
      },
    };
    onTestFinished(async () => {
      await Promise.race([queue.close(), sleep(200)]);
      await admin.query('truncate bullmq.job cascade');
    });
    return { queue, reported, pass: (ms) => pass(ms, load) };
  }

  test('a job is accepted when the counters of the database begin anew, as after a crash', async () => {
    const { queue, pass: wait } = await open();
    const seen: Job[] = [];
    queue.start(
      (job) => {
        seen.push(job);
        return Promise.resolve('done');
      },
      { concurrency: { 'advance-run': 1, 'call-tool': 1 } },
    );
    for (const runId of ['a', 'b']) {
      await admin.query(
        `select setval(format('bullmq.%I', sequencename)::regclass, 1, false) from pg_sequences
         where schemaname = 'bullmq' and sequencename not in ('job_seq', 'event_seq')`,
      );
      await queue.enqueue({ type: 'advance-run', runId });
      await wait(0);
    }
    expect(seen.map((job) => job.type === 'advance-run' && job.runId)).toEqual(['a', 'b']);
  });

  /** Lets time pass, wakes the workers, and resolves when no more jobs begin or end. */
  async function pass(ms: number, load: Load): Promise<void> {
    vi.setSystemTime(Date.now() + ms);
    for (const type of TYPES) await admin.query(`select pg_notify('bullmq_jobs', $1)`, [type]);
    for (let calm = 0, last = ''; calm < 3;) {
      await sleep(5);
      const { rows } = await admin.query<{
        queue: string;
        state: string;
        count: string;
        due: string;
      }>(
        `select queue, state::text, count(*), count(*) filter (where state = 'waiting'
           or (state = 'delayed' and process_at_ms <= $1)) as due
         from bullmq.job group by 1, 2 order by 1, 2`,
        [Date.now()],
      );
      const count = (column: 'count' | 'due', state: string, type?: string): number =>
        rows
          .filter((row) => row.state === state && (type === undefined || row.queue === type))
          .reduce((sum, row) => sum + Number(row[column]), 0);
      const isBusy =
        count('count', 'active') !== load.running ||
        TYPES.some((type) => {
          const isFree = (load.slots[type] ?? 0) > count('count', 'active', type);
          return isFree && count('due', 'waiting', type) + count('due', 'delayed', type) > 0;
        });
      const now = JSON.stringify(rows);
      calm = now === last && !isBusy ? calm + 1 : 0;
      last = now;
    }
  }
});
