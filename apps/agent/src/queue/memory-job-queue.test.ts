import { afterEach, beforeEach, vi } from 'vitest';
import { jobQueueContract } from '../ports/job-queue.contract.ts';
import { createMemoryJobQueue } from './memory-job-queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

jobQueueContract('memory', () => {
  const reported: unknown[] = [];
  const clock = {
    now: () => Date.now(),
    after: (ms: number, callback: () => void) => {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  const queue = createMemoryJobQueue({ clock, onError: (_job, error) => reported.push(error) });
  return { queue, reported, pass: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)) };
});
