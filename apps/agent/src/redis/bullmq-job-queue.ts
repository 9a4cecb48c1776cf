import {
  DelayedError,
  Queue,
  WaitingError,
  Worker,
  type Job as QueuedJob,
  type WorkerOptions,
} from 'bullmq';
import {
  FIRST_REDELIVERY_MS,
  redeliveryMs,
  type Job,
  type JobHandler,
  type JobQueue,
} from '../ports/job-queue.ts';
import type { Logger } from '../ports/logger.ts';
import { HEARTBEAT_EVERY_MS, LEASE_MS } from '../ports/store/worker.ts';
import type { RedisLink } from './redis-link.ts';

/** Number of completed jobs of each type that dashboards show. */
const KEPT_JOBS = 100;

/**
 * Milliseconds until the job of a process that stopped is taken from it, and between two looks for such
 * jobs. Together shorter than the lease in the store: when another worker takes over a run, the job
 * of the ended worker is no longer in its way.
 */
const LOCK_MS = LEASE_MS / 2;
const CHECK_MS = HEARTBEAT_EVERY_MS / 2;

/** Number above every count: a job is delivered again until its handler succeeds. */
const UNLIMITED = 1_000_000_000;

/** Factor between the score of a delayed job and its due time in milliseconds. */
const SCORES_PER_MS = 4096;

/** Delay before a worker asks again after an error of Redis, in milliseconds. */
const RETRY_MS = 1000;

export interface BullmqJobQueueOptions {
  readonly link: RedisLink;
  /** First part of the keys in Redis. */
  readonly prefix: string;
  readonly logger: Logger;
  /** Replaces the times of locks, in milliseconds. */
  readonly locks?: { readonly lockMs: number; readonly checkMs: number };
  /** Called for every job whose handler threw. */
  readonly onError: (job: Job, error: unknown) => void;
}

/**
 * Creates a queue that processes share, with one queue of BullMQ for each job type. While Redis does
 * not answer, new jobs are lost, and the sweep of a worker enqueues them again.
 */
export function createBullmqJobQueue(options: BullmqJobQueueOptions): JobQueue {
  return new BullmqJobQueue(options);
}

class BullmqJobQueue implements JobQueue {
  readonly #options: BullmqJobQueueOptions;
  readonly #queues: { readonly [T in Job['type']]: Queue<Job> };
  #workers: readonly Worker<Job>[] = [];
  #closing: Promise<void> | undefined;

  constructor(options: BullmqJobQueueOptions) {
    this.#options = options;
    this.#queues = {
      'advance-run': this.#createQueue('advance-run'),
      'call-tool': this.#createQueue('call-tool'),
    };
  }

  start(
    handler: JobHandler,
    { concurrency }: { readonly concurrency: { readonly [T in Job['type']]: number } },
  ): void {
    const connection = this.#options.link.waitingConnection();
    this.#workers = (['advance-run', 'call-tool'] as const).map((type) =>
      this.#createWorker(type, handler, { connection, concurrency: concurrency[type] }),
    );
  }

  async enqueue(job: Job, { delayMs = 0 }: { readonly delayMs?: number } = {}): Promise<void> {
    await this.#options.link.ifUp(() => this.#add(job, delayMs));
  }

  async depth(): Promise<{ readonly [T in Job['type']]: number }> {
    const [advanceRun, callTool] = await Promise.all([
      this.#waiting('advance-run'),
      this.#waiting('call-tool'),
    ]);
    return { 'advance-run': advanceRun, 'call-tool': callTool };
  }

  async close(): Promise<readonly Job[]> {
    for (const worker of this.#workers) worker.cancelAllJobs();
    this.#closing ??= (async () => {
      await Promise.all(this.#workers.map((worker) => worker.close()));
    })();
    await this.#closing;
    return [];
  }

  #isClosing(): boolean {
    return this.#closing !== undefined;
  }

  #createQueue(type: Job['type']): Queue<Job> {
    const { link, prefix } = this.#options;
    const queue = new Queue<Job>(type, {
      connection: link.commands,
      prefix,
      skipVersionCheck: true,
      skipMetasUpdate: true,
    });
    queue.on('error', (error) => this.#report(error));
    return queue;
  }

  #createWorker(
    type: Job['type'],
    handler: JobHandler,
    options: Pick<WorkerOptions, 'connection' | 'concurrency'>,
  ): Worker<Job> {
    const { prefix, locks = { lockMs: LOCK_MS, checkMs: CHECK_MS } } = this.#options;
    const worker = new Worker<Job>(
      type,
      (queued, token, signal) => this.#work(handler, queued, { token, signal }),
      {
        ...options,
        prefix,
        skipVersionCheck: true,
        lockDuration: locks.lockMs,
        stalledInterval: locks.checkMs,
        maxStalledCount: UNLIMITED,
        runRetryDelay: RETRY_MS,
        removeOnComplete: { count: KEPT_JOBS },
        settings: { backoffStrategy: (attempts) => redeliveryMs(attempts) },
      },
    );
    worker.on('error', (error) => this.#report(error));
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) worker.cancelJob(id, 'another process may have the job');
    });
    return worker;
  }

  async #work(
    handler: JobHandler,
    queued: QueuedJob<Job>,
    {
      token,
      signal = new AbortController().signal,
    }: { readonly token: string | undefined; readonly signal: AbortSignal | undefined },
  ): Promise<void> {
    const job = queued.data;
    if (this.#isClosing()) return handBack(queued, token);
    let outcome;
    try {
      outcome = await handler(job, signal);
    } catch (error) {
      this.#options.onError(job, error);
      // BullMQ stores the message in Redis, which need not be as protected as the log.
      throw new Error('the job failed; the log of its worker says why', { cause: error });
    }
    if (outcome === 'done') return;
    if (this.#isClosing()) return handBack(queued, token);
    await queued.moveToDelayed(Date.now() + FIRST_REDELIVERY_MS, token);
    throw new DelayedError();
  }

  async #add(job: Job, delayMs: number): Promise<void> {
    const queue = this.#queues[job.type];
    const id = job.type === 'advance-run' ? job.runId : job.callId;
    const reschedule = delayMs <= 0 || (await this.#isDelayedFor(queue, id, delayMs));
    await queue.add(job.type, job, {
      ...(delayMs > 0 ? { delay: delayMs } : {}),
      deduplication: { id, keepLastIfActive: true, reschedule },
      attempts: UNLIMITED,
      backoff: { type: 'custom' },
      stackTraceLimit: 0,
    });
  }

  /** Whether an equal job is delayed for longer. */
  async #isDelayedFor(queue: Queue<Job>, id: string, delayMs: number): Promise<boolean> {
    const current = await queue.getDeduplicationJobId(id);
    if (current === null) return false;
    const score = await this.#options.link.commands.zscore(queue.toKey('delayed'), current);
    return score !== null && Number(score) / SCORES_PER_MS > Date.now() + delayMs;
  }

  async #waiting(type: Job['type']): Promise<number> {
    return this.#options.link.run(() =>
      this.#queues[type].getJobCountByTypes('wait', 'prioritized', 'delayed'),
    );
  }

  #report(error: Error): void {
    const { link, logger } = this.#options;
    // A lost connection is logged once, by the link.
    if (link.isUp() && !this.#isClosing())
      logger.warn('the job queue on Redis reported an error', { error: error.message });
  }
}

/** Returns a job to the head of its queue, for another process. */
async function handBack(queued: QueuedJob<Job>, token: string | undefined): Promise<never> {
  await queued.moveToWait(token);
  throw new WaitingError();
}
