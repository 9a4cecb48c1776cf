import type { Job, JobQueue } from '../ports/job-queue.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { HandedJobs } from '../ports/store/handed-jobs.ts';

/**
 * Creates the queue of a process that executes no jobs: it hands them to the workers through the
 * store. Drops delayed jobs, because the workers read the due times of runs themselves.
 */
export function createHandingQueue(
  handed: HandedJobs,
  bus: SignalBus,
): Pick<JobQueue, 'enqueue' | 'depth'> {
  return {
    async enqueue(job: Job, { delayMs = 0, priority } = {}) {
      if (delayMs > 0) return;
      await handed.hand(job, priority);
      bus.publish({ type: 'servers' });
    },
    depth: () => Promise.resolve({ 'advance-run': 0, 'call-tool': 0 }),
  };
}

/**
 * Makes a queue in memory hand the jobs that it loses at its close to the other workers.
 */
export function handingBack(queue: JobQueue, handed: HandedJobs, bus: SignalBus): JobQueue {
  return {
    start: (handler, options) => queue.start(handler, options),
    enqueue: (job, options) => queue.enqueue(job, options),
    depth: () => queue.depth(),
    async close() {
      for (const job of await queue.close()) await handed.hand(job);
      bus.publish({ type: 'servers' });
      return [];
    },
  };
}
