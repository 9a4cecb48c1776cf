import type { JobQueue } from '../ports/job-queue.ts';

/**
 * Adds a queue of this process to a queue that processes share. The engine works on the jobs of
 * both, and enqueues in the shared queue.
 */
export function withOwnJobs(shared: JobQueue, own: JobQueue): JobQueue {
  return {
    start(handler, options) {
      shared.start(handler, options);
      own.start(handler, options);
    },
    enqueue: (job, options) => shared.enqueue(job, options),
    depth: () => shared.depth(),
    async close() {
      // The sweep of another worker finds the calls of the lost jobs.
      const [lost] = await Promise.all([shared.close(), own.close()]);
      return lost;
    },
  };
}
