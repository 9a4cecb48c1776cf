import type { Clock } from '../ports/clock.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { Logger } from '../ports/logger.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { HandedJobs } from '../ports/store/handed-jobs.ts';
import { FailureLog } from '../run/core/failure-log.ts';
import { PollLoop } from './poll-loop.ts';

export interface JobIntakeOptions {
  readonly handed: HandedJobs;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  /** Queue of this process alone, for the jobs that only this worker takes. */
  readonly ownQueue: Pick<JobQueue, 'enqueue'>;
  /** Returns the id of this process as a worker. */
  readonly workerId: () => string;
  readonly bus: SignalBus;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Number of jobs that are taken at once. */
const BATCH = 16;

/** Takes the jobs that other processes hand over into the queue of this worker. */
export class JobIntake {
  readonly #options: JobIntakeOptions;
  readonly #failures: FailureLog;
  #loop: PollLoop | undefined;

  constructor(options: JobIntakeOptions) {
    this.#options = options;
    this.#failures = new FailureLog(
      options.logger,
      'the jobs of other processes could not be taken; this will be retried',
    );
  }

  start(): void {
    const { clock, bus } = this.#options;
    this.#loop ??= new PollLoop(clock, bus, () => this.#poll());
  }

  async close(): Promise<void> {
    await this.#loop?.close();
  }

  async #poll(): Promise<void> {
    const { handed, queue, ownQueue, workerId } = this.#options;
    try {
      for (;;) {
        const jobs = await handed.take(BATCH, workerId());
        for (const { job, priority, isAddressed } of jobs)
          await (isAddressed === true ? ownQueue : queue).enqueue(job, { priority });
        if (jobs.length < BATCH) break;
      }
      this.#failures.succeeded();
    } catch (error) {
      this.#failures.failed(error);
    }
  }
}
