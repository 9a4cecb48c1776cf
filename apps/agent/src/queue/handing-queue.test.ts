import { expect, test } from 'vitest';
import type { Job } from '../ports/job-queue.ts';
import type { HandedJob, HandedJobs } from '../ports/store/handed-jobs.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { createHandingQueue, handingBack } from './handing-queue.ts';
import { createInProcessSignalBus } from './in-process-signal-bus.ts';
import { createMemoryJobQueue } from './memory-job-queue.ts';

const job = (runId: string): Job => ({ type: 'advance-run', runId });

function handed(): HandedJobs & { readonly jobs: HandedJob[] } {
  const jobs: HandedJob[] = [];
  return {
    jobs,
    hand: async (each, priority = 'normal') => void jobs.push({ job: each, priority }),
    handTo: async (_worker, each) => void jobs.push({ job: each, priority: 'normal' }),
    take: async () => jobs.splice(0),
  };
}

test('a process without workers hands its jobs over and signals it, except delayed jobs', async () => {
  const bus = createInProcessSignalBus();
  const store = handed();
  let signals = 0;
  bus.subscribe('servers', () => (signals += 1));
  const queue = createHandingQueue(store, bus);
  await queue.enqueue(job('now'), { priority: 'high' });
  await queue.enqueue(job('later'), { delayMs: 1 });
  expect([store.jobs, signals]).toEqual([[{ job: job('now'), priority: 'high' }], 1]);
});

test('the jobs that wait when a worker closes are handed to the other workers', async () => {
  const store = handed();
  const queue = handingBack(
    createMemoryJobQueue({ clock: new ManualClock(), onError: () => undefined }),
    store,
    createInProcessSignalBus(),
  );
  await queue.enqueue(job('waits'));
  expect(await queue.close()).toEqual([]);
  expect(store.jobs).toEqual([{ job: job('waits'), priority: 'normal' }]);
});
