// node measure-queue.ts redis|postgres signalbox|bullmq|defaults URL JOBS: adds jobs to a queue, works them in the same process, and prints the cost of a job as JSON.
import { randomUUID } from 'node:crypto';
import { Queue, Worker, createPostgresBackend } from 'bullmq';
import { Redis } from 'ioredis';
import type { Job } from '../../ports/job-queue.ts';
import type { Logger } from '../../ports/logger.ts';
import { RedisLink } from '../../redis/redis-link.ts';
import { createBullmqJobQueue } from '../bullmq-job-queue.ts';
import { postgresEngine } from '../postgres-engine.ts';
import { redisEngine } from '../redis-engine.ts';

const CONCURRENCY = 256;
const ADDED_AT_ONCE = 100;
const WARM_UP_JOBS = 1000;

/** Times of locks that a busy machine does not exceed, in milliseconds. */
const LOCK_MS = 60_000;
const CHECK_MS = 30_000;

interface MeasuredQueue {
  readonly add: (job: Job & { readonly type: 'call-tool' }) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

const logger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message, fields) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  error: (message, fields) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
};

const [engine = '', variant = '', url = '', jobs = '5000'] = process.argv.slice(2);
let worked = 0;
let goal = Promise.withResolvers<void>();
let goalAt = 0;
const onJob = (): void => {
  worked += 1;
  if (worked === goalAt) goal.resolve();
};
const queue = await (variant === 'signalbox' ? openOurs() : openBare());
await work(WARM_UP_JOBS);
const cpuBefore = process.cpuUsage();
const begun = performance.now();
await work(Number(jobs));
const elapsedMs = performance.now() - begun;
const { user, system } = process.cpuUsage(cpuBefore);
process.stdout.write(
  `${JSON.stringify({ perSecond: (Number(jobs) / elapsedMs) * 1000, cpuMicros: (user + system) / Number(jobs) })}\n`,
);
await queue.close();
process.exit();

/** Adds jobs and resolves when all were worked. */
async function work(count: number): Promise<void> {
  goal = Promise.withResolvers();
  goalAt = worked + count;
  for (let added = 0; added < count; added += ADDED_AT_ONCE)
    await Promise.all(
      Array.from({ length: ADDED_AT_ONCE }, () =>
        queue.add({ type: 'call-tool', callId: randomUUID() }),
      ),
    );
  await goal.promise;
}

async function openOurs(): Promise<MeasuredQueue> {
  const bullmq =
    engine === 'redis'
      ? redisEngine(await RedisLink.open({ settings: { url, prefix: 'ours' }, logger }), 'ours')
      : postgresEngine(url);
  const opened = createBullmqJobQueue({
    engine: bullmq,
    logger,
    locks: { lockMs: LOCK_MS, checkMs: CHECK_MS },
    onError: (_job, error) => {
      throw error;
    },
  });
  opened.start(
    () => {
      onJob();
      return Promise.resolve('done');
    },
    { concurrency: { 'advance-run': CONCURRENCY, 'call-tool': CONCURRENCY } },
  );
  return { add: (job) => opened.enqueue(job), close: () => opened.close() };
}

/** Opens BullMQ with the options of our job queue, or with its own. */
function openBare(): MeasuredQueue {
  const connection =
    engine === 'redis'
      ? new Redis(url, { maxRetriesPerRequest: null })
      : { connectionString: url, max: 4, migrate: true };
  const backend = engine === 'redis' ? undefined : createPostgresBackend;
  const added = new Queue('call-tool', { connection, prefix: variant }, backend as never);
  const isEqual = variant === 'bullmq';
  const worker = new Worker(
    'call-tool',
    () => {
      onJob();
      return Promise.resolve();
    },
    {
      connection: connection instanceof Redis ? connection.duplicate() : connection,
      prefix: variant,
      concurrency: CONCURRENCY,
      lockDuration: LOCK_MS,
      stalledInterval: CHECK_MS,
      ...(isEqual ? { maxStalledCount: 1_000_000_000, removeOnComplete: { count: 100 } } : {}),
    },
    backend as never,
  );
  const options = (id: string) =>
    isEqual
      ? {
          jobId: randomUUID(),
          deduplication: { id, keepLastIfActive: true, reschedule: true },
          attempts: 1_000_000_000,
          backoff: { type: 'custom' },
          stackTraceLimit: 0,
        }
      : {};
  return {
    add: (job) => added.add('call-tool', job, options(job.callId)),
    close: () => Promise.all([worker.close(true), added.close()]),
  };
}
