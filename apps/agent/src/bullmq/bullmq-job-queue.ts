import { randomUUID } from 'node:crypto';
import { DelayedError, WaitingError, type Job as QueuedJob, type Queue, type Worker } from 'bullmq';
import {
  FIRST_REDELIVERY_MS,
  JOB_LANES,
  laneOf,
  placeOf,
  redeliveryMs,
  subjectOf,
  type EnqueueOptions,
  type Job,
  type JobHandler,
  type JobLane,
  type JobQueue,
} from '../ports/job-queue.ts';
import type { Logger } from '../ports/logger.ts';
import { HEARTBEAT_EVERY_MS, LEASE_MS } from '../ports/store/worker.ts';
import type { BullmqEngine } from './engine.ts';

/** Number of completed jobs of each lane that dashboards show. */
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

/** Delay before a worker asks again after an error of the database, in milliseconds. */
const RETRY_MS = 1000;

/** Milliseconds for which an error of the database is not logged again: each worker asks again and again. */
const REPORT_EVERY_MS = 10_000;

export interface BullmqJobQueueOptions {
  readonly engine: BullmqEngine;
  readonly logger: Logger;
  /** Replaces the times of locks, in milliseconds. */
  readonly locks?: { readonly lockMs: number; readonly checkMs: number };
  /** Called for every job whose handler threw. */
  readonly onError: (job: Job, error: unknown) => void;
}

/**
 * Creates a queue that processes share, with one queue of BullMQ for each lane. While its
 * database does not answer, new jobs are lost, and the sweep of a worker enqueues them again.
 */
export function createBullmqJobQueue(options: BullmqJobQueueOptions): JobQueue {
  return new BullmqJobQueue(options);
}

class BullmqJobQueue implements JobQueue {
  readonly #options: BullmqJobQueueOptions;
  readonly #queues: { readonly [L in JobLane]: Queue<Job> };
  #workers: readonly Worker<Job, void>[] = [];
  #closing: Promise<void> | undefined;
  readonly #running = new Set<Promise<unknown>>();
  /** Times at which errors were logged, by their texts. */
  readonly #reportedAt = new Map<string, number>();

  constructor(options: BullmqJobQueueOptions) {
    this.#options = options;
    this.#queues = {
      'advance-run': this.#createQueue('advance-run'),
      'call-tool': this.#createQueue('call-tool'),
    };
  }

  start(
    handler: JobHandler,
    { concurrency }: { readonly concurrency: { readonly [L in JobLane]: number } },
  ): void {
    this.#workers = JOB_LANES.map((lane) => this.#createWorker(lane, concurrency[lane], handler));
  }

  async enqueue(job: Job, options: EnqueueOptions = {}): Promise<void> {
    await this.#options.engine.ifUp(() => this.#add(job, options));
  }

  async depth(): Promise<{ readonly [L in JobLane]: number }> {
    const [advanceRun, callTool] = await Promise.all([
      this.#waiting('advance-run'),
      this.#waiting('call-tool'),
    ]);
    return { 'advance-run': advanceRun, 'call-tool': callTool };
  }

  async close(): Promise<readonly Job[]> {
    for (const worker of this.#workers) worker.cancelAllJobs();
    this.#closing ??= this.#closeWorkers();
    await this.#closing;
    return [];
  }

  async #closeWorkers(): Promise<void> {
    // Without the database a worker would wait for it, to hand its jobs back.
    const isLost = !this.#options.engine.isUp();
    await Promise.all(this.#workers.map((worker) => worker.close(isLost)));
    await Promise.allSettled(this.#running);
  }

  #isClosing(): boolean {
    return this.#closing !== undefined;
  }

  #createQueue(lane: JobLane): Queue<Job> {
    const queue = this.#options.engine.createQueue(lane, {});
    queue.on('error', (error) => this.#report(error));
    return queue;
  }

  #createWorker(lane: JobLane, concurrency: number, handler: JobHandler): Worker<Job, void> {
    const { engine, locks = { lockMs: LOCK_MS, checkMs: CHECK_MS } } = this.#options;
    const worker = engine.createWorker(
      lane,
      // BullMQ passes the signal to a function with three parameters.
      (queued, token, signal) => this.#work(handler, queued, { token, signal }),
      {
        concurrency,
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
    const handling = handler(job, signal);
    this.#running.add(handling);
    try {
      outcome = await handling;
    } catch (error) {
      this.#options.onError(job, error);
      // BullMQ stores the message in Redis, which need not be as protected as the log.
      throw new Error('the job failed; the log of its worker says why', { cause: error });
    } finally {
      this.#running.delete(handling);
    }
    if (outcome === 'done') return;
    if (this.#isClosing()) return handBack(queued, token);
    await queued.moveToDelayed(Date.now() + FIRST_REDELIVERY_MS, token);
    throw new DelayedError();
  }

  async #add(job: Job, { delayMs = 0, priority }: EnqueueOptions): Promise<void> {
    const queue = this.#queues[laneOf(job)];
    const id = job.type === 'start-run' ? `start:${job.runId}` : subjectOf(job);
    const place = placeOf(job, priority);
    const reschedule = delayMs <= 0 || (await this.#isDelayedFor(queue, id, delayMs));
    await queue.add(job.type, job, {
      // Counted ids can begin anew when the database was killed, and a job with a known id is lost.
      jobId: randomUUID(),
      ...(delayMs > 0 ? { delay: delayMs } : {}),
      // BullMQ delivers jobs without a priority first.
      ...(place > 0 ? { priority: place } : {}),
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
    const dueAt = await this.#options.engine.dueAt(queue, current);
    return dueAt !== undefined && dueAt > Date.now() + delayMs;
  }

  async #waiting(lane: JobLane): Promise<number> {
    return this.#options.engine.run(() =>
      this.#queues[lane].getJobCountByTypes('wait', 'prioritized', 'delayed'),
    );
  }

  #report(error: Error): void {
    const { engine, logger } = this.#options;
    // A lost connection to Redis is logged once, by its owner.
    if (!engine.isUp() || this.#isClosing()) return;
    const now = performance.now();
    for (const [text, at] of this.#reportedAt)
      if (now - at >= REPORT_EVERY_MS) this.#reportedAt.delete(text);
    const text = engine.textOf(error);
    if (this.#reportedAt.has(text)) return;
    this.#reportedAt.set(text, now);
    logger.warn('the job queue reported an error', { error: text });
  }
}

/** Returns a job to the head of its queue, for another process. */
async function handBack(queued: QueuedJob<Job>, token: string | undefined): Promise<never> {
  await queued.moveToWait(token);
  throw new WaitingError();
}
