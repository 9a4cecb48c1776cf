import type { Job } from '../job-queue.ts';

/**
 * Jobs that API processes hand to the workers, so that a worker begins them at once. Losing or
 * repeating one is harmless, since workers also look for runs without a job.
 */
export interface HandedJobs {
  /** Hands a job over, unless an equal job is waiting. */
  hand(job: Job): Promise<void>;
  /** Takes at most `limit` jobs, oldest first. Of several workers only one gets a job. */
  take(limit: number): Promise<readonly Job[]>;
}
