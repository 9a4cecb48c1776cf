/**
 * A queue item. SQL is the source of truth and the queue only dispatches, delays and wakes, so
 * losing or repeating a job is harmless.
 */
export type Job =
  | { readonly type: 'advance-run'; readonly runId: string }
  | { readonly type: 'call-tool'; readonly callId: string };

export type JobHandler = (job: Job) => Promise<void>;

export interface JobQueue {
  /**
   * Starts processing. `concurrency` limits the concurrent jobs of each type. A handler that throws
   * is reported and its job is dropped.
   */
  start(
    handler: JobHandler,
    options: { readonly concurrency: { readonly [T in Job['type']]: number } },
  ): void;
  /**
   * Adds a job, unless an equal job is waiting. A job equal to a running one runs once more
   * afterwards.
   */
  enqueue(job: Job, options?: { readonly delayMs?: number }): Promise<void>;
  /** Returns the number of waiting jobs, including delayed ones. */
  depth(): Promise<{ readonly [T in Job['type']]: number }>;
  /** Stops taking jobs. Resolves when the running jobs have ended. */
  close(): Promise<void>;
}
