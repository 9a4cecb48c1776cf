import type { Job } from '../job-queue.ts';
import type { Priority } from '../priority.ts';

/**
 * Jobs that API processes hand to the workers, so that a worker begins them at once. Losing or
 * repeating one is harmless, since workers also look for runs without a job.
 */
export interface HandedJobs {
  /** Hands a job over, unless an equal job is waiting. `priority`: that of the run, default `normal`. */
  hand(job: Job, priority?: Priority): Promise<void>;
  /** Hands a job to one worker. An equal job that is waiting gets this addressee. */
  handTo(workerId: string, job: Job): Promise<void>;
  /**
   * Takes at most `limit` jobs, in the order of `placeOf` and then oldest first. Of several workers
   * only one gets a job. Leaves the jobs for workers other than `workerId` that have not ended.
   */
  take(limit: number, workerId: string): Promise<readonly HandedJob[]>;
}

export interface HandedJob {
  readonly job: Job;
  readonly priority: Priority;
  /** Set when the job was handed to this worker alone. */
  readonly isAddressed?: true;
}
