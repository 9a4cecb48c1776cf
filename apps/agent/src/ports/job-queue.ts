/**
 * A queue item. SQL is the source of truth and the queue only dispatches, delays and wakes, so
 * losing or repeating a job, or delivering jobs in another order, is harmless.
 */
export type Job =
  | { readonly type: 'advance-run'; readonly runId: string }
  | { readonly type: 'call-tool'; readonly callId: string };

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
   * Starts processing. `concurrency` limits the concurrent jobs of each type in this process. A job
   * whose handler rejects is reported and delivered again after a delay, which doubles with each
   * failure in a row.
   */
  start(
    handler: JobHandler,
    options: { readonly concurrency: { readonly [T in Job['type']]: number } },
  ): void;
  /**
   * Adds a job, unless an equal job is waiting. A job equal to a running one runs once more
   * afterwards. `delayMs`: earliest delivery, default 0; an equal job that is delayed for longer is
   * moved forward.
   */
  enqueue(job: Job, options?: { readonly delayMs?: number }): Promise<void>;
  /** Returns the number of waiting jobs, including delayed ones. Rejects while the queue does not answer. */
  depth(): Promise<{ readonly [T in Job['type']]: number }>;
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
