import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import {
  afterAll,
  describe,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { jobQueueContract } from '../ports/job-queue.contract.ts';
import type { Job, JobQueue } from '../ports/job-queue.ts';
import { createBullmqJobQueue, type BullmqJobQueueOptions } from './bullmq-job-queue.ts';
import { redisEngine } from './redis-engine.ts';
import { hasRedis } from '../redis/testing/redis-server.ts';
import { startTcpProxy } from '../redis/testing/tcp-proxy.ts';
import {
  connectProcess,
  openRedisWorld,
  quietLogger,
  type RedisWorld,
} from '../redis/testing/redis-world.ts';

const BOTH = { 'advance-run': 5, 'call-tool': 5 };

describe.skipIf(!hasRedis)('BullMQ on Redis', () => {
  let world: RedisWorld;
  let prefixes = 0;
  beforeAll(async () => {
    world = await openRedisWorld();
  });
  afterAll(() => world.close());
  beforeEach(() => {
    prefixes += 1;
    // BullMQ measures delays by Date, and waits for the next delayed job in Redis.
    vi.useFakeTimers({ toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const prefix = (): string => `test-${prefixes}`;

  async function open({
    reported = [],
    locks,
  }: {
    readonly reported?: unknown[];
    readonly locks?: BullmqJobQueueOptions['locks'];
  } = {}): Promise<JobQueue> {
    const { link } = await connectProcess(world.server.url, prefix());
    const queue = createBullmqJobQueue({
      engine: redisEngine(link, prefix()),
      logger: quietLogger,
      ...(locks === undefined ? {} : { locks }),
      onError: (_job, error) => reported.push(error),
    });
    onTestFinished(async () => {
      await Promise.race([queue.close(), sleep(100)]);
    });
    return queue;
  }

  async function pass(ms: number): Promise<void> {
    vi.setSystemTime(Date.now() + ms);
    // Workers look at the delayed jobs when they are woken.
    for (const type of Object.keys(BOTH))
      await world.admin.zadd(`${prefix()}:${type}:marker`, 0, '0');
    await world.settle();
  }

  jobQueueContract('BullMQ', async () => {
    const reported: unknown[] = [];
    return { queue: await open({ reported }), reported, pass };
  });

  test('a job goes to one of several processes, and one that closes hands its job to another', async () => {
    const [one, two] = [await open(), await open()];
    const seen: string[] = [];
    const hold = Promise.withResolvers<void>();
    one.start(
      async () => {
        seen.push('one');
        await hold.promise;
        return 'release';
      },
      { concurrency: BOTH },
    );
    await one.enqueue(advance('a'));
    await pass(0);
    two.start(
      async () => {
        seen.push('two');
        return 'done';
      },
      { concurrency: BOTH },
    );
    await pass(0);
    expect(seen).toEqual(['one']);
    const closed = one.close();
    hold.resolve();
    await closed;
    await pass(0);
    expect(seen).toEqual(['one', 'two']);
  });

  test('a job whose lock was lost goes to another process, and the signal of its handler is aborted', async () => {
    vi.useRealTimers();
    const locks = { lockMs: 300, checkMs: 100 };
    const [one, two] = [await open({ locks }), await open({ locks })];
    const seen: string[] = [];
    const ended = Promise.withResolvers<void>();
    one.start(
      async (_job, signal) => {
        seen.push('one');
        // The process seems to have ended: its lock is gone and cannot be renewed.
        const [id] = await world.admin.lrange(`${prefix()}:advance-run:active`, 0, 0);
        await world.admin.set(`${prefix()}:advance-run:${id}:lock`, 'another', 'PX', 100);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        seen.push('aborted');
        await ended.promise;
        return 'done';
      },
      // Its handler goes on, so that it does not take the job again.
      { concurrency: { ...BOTH, 'advance-run': 1 } },
    );
    await one.enqueue(advance('a'));
    await vi.waitFor(() => expect(seen).toEqual(['one', 'aborted']), { timeout: 5000 });
    two.start(
      async () => {
        seen.push('two');
        return 'done';
      },
      { concurrency: BOTH },
    );
    const closed = one.close();
    await vi.waitFor(() => expect(seen).toEqual(['one', 'aborted', 'two']), { timeout: 5000 });
    ended.resolve();
    await closed;
  });

  test('without Redis a close waits for the handlers only', async () => {
    vi.useRealTimers();
    const proxy = await startTcpProxy(world.server.port);
    onTestFinished(() => proxy.close());
    const { link } = await connectProcess(`redis://127.0.0.1:${proxy.port}`, prefix());
    const queue = createBullmqJobQueue({
      engine: redisEngine(link, prefix()),
      logger: quietLogger,
      onError: () => undefined,
    });
    const ended = Promise.withResolvers<'release'>();
    const seen: string[] = [];
    queue.start(
      (_job, signal) => {
        seen.push('begun');
        signal.addEventListener('abort', () => seen.push('aborted'));
        return ended.promise;
      },
      { concurrency: BOTH },
    );
    await queue.enqueue(advance('a'));
    await vi.waitFor(() => expect(seen).toEqual(['begun']));
    proxy.cut();
    await vi.waitFor(() => expect(link.isUp()).toBe(false));
    const closed = queue.close().then(() => seen.push('closed'));
    await sleep(20);
    expect(seen).toEqual(['begun', 'aborted']);
    ended.resolve('release');
    await vi.waitFor(() => expect(seen).toEqual(['begun', 'aborted', 'closed']), { timeout: 900 });
    await closed;
  });

  test('after a flush of Redis an equal job is accepted again', async () => {
    const queue = await open();
    await queue.enqueue(advance('a'));
    await queue.enqueue(advance('a'));
    expect(await queue.depth()).toEqual({ 'advance-run': 1, 'call-tool': 0 });
    await world.admin.flushall();
    const seen: string[] = [];
    queue.start(
      async (job) => {
        seen.push(job.type);
        return 'done';
      },
      { concurrency: BOTH },
    );
    await pass(0);
    expect(seen).toEqual([]);
    await queue.enqueue(advance('a'));
    await pass(0);
    expect(seen).toEqual(['advance-run']);
  });

  test('a dashboard sees a queue for each kind of job, with named jobs and their subjects, and no error texts', async () => {
    const queue = await open();
    queue.start(() => Promise.reject(new Error('token=secret')), { concurrency: BOTH });
    await queue.enqueue({ type: 'call-tool', callId: 'c' });
    await pass(0);
    const dashboard = new Queue('call-tool', {
      connection: world.admin,
      prefix: prefix(),
    });
    const [job] = await dashboard.getJobs();
    expect(job?.toJSON()).toMatchObject({
      name: 'call-tool',
      data: { type: 'call-tool', callId: 'c' },
      failedReason: 'the job failed; the log of its worker says why',
    });
    expect(JSON.stringify(job)).not.toContain('secret');
  });
});

const advance = (runId: string): Job => ({ type: 'advance-run', runId });
