import { PRIORITIES, type Priority } from './priority.ts';

/**
 * A queue item. SQL is the source of truth and the queue only dispatches, delays and wakes, so
 * losing or repeating a job, or delivering jobs in another order, is harmless. `start-run` asks for a
 * slot in which the run that is next begins, which need not be the run of the job.
 */
export type Job =
  | { readonly type: 'start-run'; readonly runId: string }
  | { readonly type: 'advance-run'; readonly runId: string }
  | { readonly type: 'call-tool'; readonly callId: string };

/** Jobs with a common limit of concurrent jobs. */
export const JOB_LANES = ['advance-run', 'call-tool'] as const;
export type JobLane = (typeof JOB_LANES)[number];

export function laneOf({ type }: Pick<Job, 'type'>): JobLane {
  return type === 'call-tool' ? 'call-tool' : 'advance-run';
}

/** Returns the id of the run or call of a job. */
export function subjectOf(job: Job): string {
  return job.type === 'call-tool' ? job.callId : job.runId;
}

/**
 * Returns the place of a job among the waiting jobs of its lane, 0 to 5. Jobs with a lower number are
 * delivered first, and runs in progress continue before others begin. Tool calls have one place.
 */
export function placeOf({ type }: Pick<Job, 'type'>, priority: Priority = 'normal'): number {
  if (type === 'call-tool') return 0;
  return (type === 'start-run' ? PRIORITIES.length : 0) + PRIORITIES.indexOf(priority);
}

export interface EnqueueOptions {
  /** Earliest delivery, in milliseconds from now. Default: 0. */
  readonly delayMs?: number | undefined;
  /** Priority of the run. Default: `normal`. */
  readonly priority?: Priority | undefined;
}

/**
 * Result of a handler. `done` acknowledges the job. `release` hands it back: another process gets
 * it, or this one later.
 */
export type JobOutcome = 'done' | 'release';

/**
 * Performs a job. `signal` is aborted when the queue closes or when this process lost the job to
 * another one; the handler should then end soon. A job whose handler rejects is delivered again.
 */
export type JobHandler = (job: Job, signal: AbortSignal) => Promise<JobOutcome>;

/**
 * Delivers each job at least once, to one process at a time as far as the queue can know: a job
 * whose process died or stalled is delivered again. A queue in memory forgets its jobs when the
 * process ends; the sweep of a worker enqueues what the store has without a job.
 */
export interface JobQueue {
  /**
   * Starts processing. `concurrency` limits the concurrent jobs of each lane in this process. Waiting
   * jobs are delivered in the order of `placeOf`, those with the same place in order of arrival. A job
   * whose handler rejects is reported and delivered again after a delay, which doubles with each
   * failure in a row.
   */
  start(
    handler: JobHandler,
    options: { readonly concurrency: { readonly [L in JobLane]: number } },
  ): void;
  /**
   * Adds a job, unless an equal job is waiting. A job equal to a running one runs once more
   * afterwards. An equal job that is delayed for longer is moved forward.
   */
  enqueue(job: Job, options?: EnqueueOptions): Promise<void>;
  /** Returns the number of waiting jobs, including delayed ones. Rejects while the queue does not answer. */
  depth(): Promise<{ readonly [L in JobLane]: number }>;
  /**
   * Stops taking jobs, aborts the signals of the running ones and waits for their handlers. The jobs
   * that wait and those that were released stay in the queue for other processes. Resolves with the
   * jobs that the queue loses, in a queue without other processes all of them.
   */
  close(): Promise<readonly Job[]>;
}

/** Delay before a job is delivered again after its first failure, in milliseconds. */
export const FIRST_REDELIVERY_MS = 1000;

/** Longest delay before a failed job is delivered again, in milliseconds. */
export const LONGEST_REDELIVERY_MS = 30_000;

/** Returns the delay before a job is delivered again after failures in a row, in milliseconds. */
export function redeliveryMs(failures: number): number {
  return Math.min(FIRST_REDELIVERY_MS * 2 ** (failures - 1), LONGEST_REDELIVERY_MS);
}
