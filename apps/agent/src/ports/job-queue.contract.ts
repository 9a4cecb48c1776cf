import { describe, expect, test } from 'vitest';
import type { Job, JobQueue } from './job-queue.ts';

/** A queue under test and the means to advance its time. */
export interface QueueUnderTest {
  readonly queue: JobQueue;
  /** Advances the queue's clock by `ms` and lets due work begin. */
  readonly pass: (ms: number) => Promise<void>;
  /** Errors that the queue reported. */
  readonly reported: readonly unknown[];
}

/** Describes the behavior of every job queue adapter. */
export function jobQueueContract(name: string, create: () => QueueUnderTest): void {
  describe(`job queue contract: ${name}`, () => {
    test('jobs accepted before the start are executed after it, in order', async () => {
      const { queue, pass } = create();
      const seen: Job[] = [];
      await queue.enqueue(advance('a'));
      await queue.enqueue(advance('b'));
      await pass(0);
      expect(seen).toEqual([]);
      queue.start((job) => Promise.resolve(void seen.push(job)), {
        concurrency: { 'advance-run': 1, 'call-tool': 1 },
      });
      await pass(0);
      expect(seen).toEqual([advance('a'), advance('b')]);
    });

    test('a job equal to a waiting job is not added', async () => {
      const { queue, pass } = create();
      const seen: Job[] = [];
      await Promise.all([
        queue.enqueue(advance('a')),
        queue.enqueue(advance('a')),
        queue.enqueue(call('a')),
      ]);
      queue.start((job) => Promise.resolve(void seen.push(job)), {
        concurrency: { 'advance-run': 5, 'call-tool': 5 },
      });
      await pass(0);
      expect(seen).toHaveLength(2);
    });

    test('a job equal to a running job runs once more after it, never concurrently', async () => {
      const { queue, pass } = create();
      const runs = manual();
      queue.start(() => runs.begin(), { concurrency: { 'advance-run': 5, 'call-tool': 5 } });
      await queue.enqueue(advance('a'));
      await pass(0);
      await Promise.all([queue.enqueue(advance('a')), queue.enqueue(advance('a'))]);
      await pass(0);
      expect(runs.started()).toBe(1);
      runs.endAll();
      await pass(0);
      expect(runs.started()).toBe(2);
      runs.endAll();
      await pass(0);
      expect(runs.started()).toBe(2);
    });

    test('its depth counts waiting and delayed jobs, but not running jobs', async () => {
      const { queue, pass } = create();
      const runs = manual();
      queue.start(() => runs.begin(), { concurrency: { 'advance-run': 1, 'call-tool': 1 } });
      await Promise.all([
        queue.enqueue(advance('a')),
        queue.enqueue(advance('b')),
        queue.enqueue(call('a'), { delayMs: 1000 }),
      ]);
      await pass(0);
      expect(await queue.depth()).toEqual({ 'advance-run': 1, 'call-tool': 1 });
      await pass(1000);
      expect(await queue.depth()).toEqual({ 'advance-run': 1, 'call-tool': 0 });
      runs.endAll();
      await pass(0);
      runs.endAll();
    });

    test('each job type has its own concurrency limit, and a free slot is taken by the next job', async () => {
      const { queue, pass } = create();
      const runs = manual();
      queue.start(() => runs.begin(), { concurrency: { 'advance-run': 2, 'call-tool': 1 } });
      await Promise.all(
        ['a', 'b', 'c'].flatMap((id) => [queue.enqueue(advance(id)), queue.enqueue(call(id))]),
      );
      await pass(0);
      expect(runs.started()).toBe(3);
      runs.endAll();
      await pass(0);
      expect(runs.started()).toBe(5);
    });

    test('a delayed job starts at its time, or earlier when an equal job without delay is added', async () => {
      const { queue, pass } = create();
      const seen: Job[] = [];
      queue.start((job) => Promise.resolve(void seen.push(job)), {
        concurrency: { 'advance-run': 5, 'call-tool': 5 },
      });
      await queue.enqueue(call('late'), { delayMs: 1000 });
      await queue.enqueue(call('early'), { delayMs: 1000 });
      await pass(900);
      expect(seen).toEqual([]);
      await queue.enqueue(call('early'));
      await pass(0);
      expect(seen).toEqual([call('early')]);
      await pass(200);
      expect(seen).toEqual([call('early'), call('late')]);
    });

    test('a handler that throws is reported, its job is dropped and its slot is freed', async () => {
      const { queue, pass, reported } = create();
      const seen: Job[] = [];
      queue.start(
        (job) =>
          job.type === 'advance-run' && job.runId === 'bad'
            ? Promise.reject(new Error('boom'))
            : Promise.resolve(void seen.push(job)),
        { concurrency: { 'advance-run': 1, 'call-tool': 1 } },
      );
      await queue.enqueue(advance('bad'));
      await queue.enqueue(advance('good'));
      await pass(0);
      expect(seen).toEqual([advance('good')]);
      expect(reported).toEqual([new Error('boom')]);
    });

    test('close drops waiting and delayed jobs, accepts no more jobs, and resolves when the running jobs have ended', async () => {
      const { queue, pass } = create();
      const runs = manual();
      queue.start(() => runs.begin(), { concurrency: { 'advance-run': 1, 'call-tool': 1 } });
      await queue.enqueue(advance('a'));
      await pass(0);
      await queue.enqueue(advance('b'));
      await queue.enqueue(advance('c'), { delayMs: 10 });
      let closed = false;
      const closing = queue.close().then(() => (closed = true));
      await queue.enqueue(advance('d'));
      await pass(100);
      expect(closed).toBe(false);
      runs.endAll();
      await closing;
      await pass(100);
      expect(runs.started()).toBe(1);
    });
  });
}

const advance = (runId: string): Job => ({ type: 'advance-run', runId });
const call = (callId: string): Job => ({ type: 'call-tool', callId });

/** Returns a handler whose runs end on demand. */
function manual(): { begin(): Promise<void>; started(): number; endAll(): void } {
  let count = 0;
  let open: (() => void)[] = [];
  return {
    begin: () => {
      count += 1;
      return new Promise((resolve) => open.push(resolve));
    },
    started: () => count,
    endAll: () => {
      for (const end of open) end();
      open = [];
    },
  };
}
