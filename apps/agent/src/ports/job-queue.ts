/** A queue item. The queue only dispatches, delays and wakes; SQL is the truth, so a job that is lost or comes twice does no harm. */
export type Job =
  | { readonly type: 'advance-run'; readonly runId: string }
  | { readonly type: 'call-tool'; readonly callId: string };

export type JobHandler = (job: Job) => Promise<void>;

export interface JobQueue {
  /** Starts working; `concurrency` bounds the jobs of each type running at once. A handler that throws is reported and its job dropped. */
  start(
    handler: JobHandler,
    options: { readonly concurrency: { readonly [T in Job['type']]: number } },
  ): void;
  /** Accepts a job; an equal one that waits is not added again, one that runs is followed by one more. */
  enqueue(job: Job, options?: { readonly delayMs?: number }): Promise<void>;
  /** The jobs that wait, delayed ones included. */
  depth(): Promise<{ readonly [T in Job['type']]: number }>;
  /** Stops taking jobs and resolves when the running ones have ended. */
  close(): Promise<void>;
}
