import { describe, expect, test } from 'vitest';
import type { Priority } from './priority.ts';
import {
  FIRST_REDELIVERY_MS,
  LONGEST_REDELIVERY_MS,
  type Job,
  type JobHandler,
  type JobOutcome,
  type JobQueue,
} from './job-queue.ts';

/** A queue under test and the means to advance its time. */
export interface QueueUnderTest {
  readonly queue: JobQueue;
  /** Advances the queue's clock by `ms` and lets due work begin. */
  readonly pass: (ms: number) => Promise<void>;
  /** Errors that the queue reported. */
  readonly reported: readonly unknown[];
}

/** Describes the behavior of every job queue adapter. */
export function jobQueueContract(
  name: string,
  create: () => QueueUnderTest | Promise<QueueUnderTest>,
): void {
  describe(`job queue contract: ${name}`, () => {
    test('jobs accepted before the start are executed after it, in order', async () => {
      const { queue, pass } = await create();
      const seen: Job[] = [];
      await queue.enqueue(advance('a'));
      await queue.enqueue(advance('b'));
      await pass(0);
      expect(seen).toEqual([]);
      queue.start(recorder(seen), {
        concurrency: { 'advance-run': 1, 'call-tool': 1 },
      });
      await pass(0);
      expect(seen).toEqual([advance('a'), advance('b')]);
    });

    test('a job equal to a waiting job is not added', async () => {
      const { queue, pass } = await create();
      const seen: Job[] = [];
      await Promise.all([
        queue.enqueue(advance('a')),
        queue.enqueue(advance('a')),
        queue.enqueue(call('a')),
      ]);
      queue.start(recorder(seen), {
        concurrency: { 'advance-run': 5, 'call-tool': 5 },
      });
      await pass(0);
      expect(seen).toHaveLength(2);
    });

    test('a job equal to a running job runs once more after it, never concurrently', async () => {
      const { queue, pass } = await create();
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

    test('a delayed job equal to a running job waits for its time', async () => {
      const { queue, pass } = await create();
      const runs = manual();
      queue.start(() => runs.begin(), { concurrency: { 'advance-run': 5, 'call-tool': 5 } });
      await queue.enqueue(call('a'));
      await pass(0);
      await queue.enqueue(call('a'), { delayMs: 1000 });
      runs.endAll();
      await pass(0);
      await pass(800);
      expect(runs.started()).toBe(1);
      await pass(300);
      expect(runs.started()).toBe(2);
      runs.endAll();
      await pass(0);
    });

    test('its depth counts waiting and delayed jobs, but not running jobs', async () => {
      const { queue, pass } = await create();
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

    test('each lane has its own concurrency limit, and a free slot is taken by the next job', async () => {
      const { queue, pass } = await create();
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

    test('waiting jobs are delivered by priority, runs in progress before runs that begin, and then in order of arrival', async () => {
      const { queue, pass } = await create();
      const runs = manual();
      const seen: Job[] = [];
      queue.start(
        (job) => {
          seen.push(job);
          return runs.begin();
        },
        { concurrency: { 'advance-run': 1, 'call-tool': 1 } },
      );
      await queue.enqueue(advance('first'));
      await pass(0);
      const added: readonly (readonly [Job, Priority?])[] = [
        [start('low'), 'low'],
        [start('a')],
        [start('b'), 'normal'],
        [start('urgent'), 'high'],
        [advance('low'), 'low'],
        [advance('a')],
        [advance('b'), 'normal'],
        [advance('urgent'), 'high'],
      ];
      for (const [job, priority] of added) await queue.enqueue(job, { priority });
      await queue.enqueue(advance('delayed'), { priority: 'high', delayMs: 100 });
      expect(await queue.depth()).toEqual({ 'advance-run': 9, 'call-tool': 0 });
      await pass(100);
      expect(seen).toEqual([advance('first')]);
      for (let ended = 0; ended < 10; ended += 1) {
        runs.endAll();
        await pass(0);
      }
      expect(seen.slice(1)).toEqual([
        advance('urgent'),
        advance('delayed'),
        advance('a'),
        advance('b'),
        advance('low'),
        start('urgent'),
        start('a'),
        start('b'),
        start('low'),
      ]);
    });

    test('a job keeps its priority when it is delivered again', async () => {
      const { queue, pass } = await create();
      const seen: Job[] = [];
      let failures = 0;
      const runs = manual();
      queue.start(
        (job) => {
          seen.push(job);
          if (seen.length > 1) return runs.begin();
          failures += 1;
          return Promise.reject(new Error('failed'));
        },
        { concurrency: { 'advance-run': 1, 'call-tool': 1 } },
      );
      await queue.enqueue(advance('bad'), { priority: 'high' });
      await pass(0);
      await queue.enqueue(advance('running'));
      await pass(0);
      await queue.enqueue(advance('waiting'));
      await pass(FIRST_REDELIVERY_MS);
      for (let ended = 0; ended < 3; ended += 1) {
        runs.endAll();
        await pass(0);
      }
      expect(failures).toBe(1);
      expect(seen.slice(1)).toEqual([advance('running'), advance('bad'), advance('waiting')]);
    });

    test('a delayed job starts at its time, or earlier when an equal job without delay is added', async () => {
      const { queue, pass } = await create();
      const seen: Job[] = [];
      queue.start(recorder(seen), {
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

    test('a job whose handler rejects is reported and delivered again with growing delays, and its slot is freed', async () => {
      const { queue, pass, reported } = await create();
      const seen: Job[] = [];
      let failures = 0;
      queue.start(
        async (job, signal) => {
          if (job.type !== 'advance-run' || job.runId !== 'bad' || failures === 7)
            return recorder(seen)(job, signal);
          failures += 1;
          throw new Error(`failure ${failures}`);
        },
        { concurrency: { 'advance-run': 1, 'call-tool': 1 } },
      );
      await queue.enqueue(advance('bad'));
      await queue.enqueue(advance('good'));
      await pass(0);
      expect([failures, seen]).toEqual([1, [advance('good')]]);
      expect(reported).toEqual([new Error('failure 1')]);
      for (const [index, factor] of [1, 2, 4, 8, 16, 30].entries()) {
        await pass(FIRST_REDELIVERY_MS * factor - 1);
        expect(failures).toBe(index + 1);
        await pass(1);
        expect(failures).toBe(index + 2);
      }
      await pass(LONGEST_REDELIVERY_MS);
      expect(seen).toEqual([advance('good'), advance('bad')]);
      expect(reported).toHaveLength(7);
      await pass(10 * LONGEST_REDELIVERY_MS);
      expect(seen).toHaveLength(2);
    });

    test('a failed job is delivered at once when an equal job is added, and after a success its delays begin anew', async () => {
      const { queue, pass } = await create();
      const outcomes: (JobOutcome | Error)[] = [
        new Error('a'),
        new Error('b'),
        'done',
        new Error('c'),
        'done',
      ];
      let deliveries = 0;
      queue.start(
        async () => {
          const outcome = outcomes[deliveries] ?? 'done';
          deliveries += 1;
          if (outcome instanceof Error) throw outcome;
          return outcome;
        },
        { concurrency: { 'advance-run': 1, 'call-tool': 1 } },
      );
      for (const count of [1, 2, 3, 4]) {
        await queue.enqueue(advance('a'));
        await pass(0);
        expect(deliveries).toBe(count);
      }
      await pass(FIRST_REDELIVERY_MS);
      expect(deliveries).toBe(5);
    });

    test('a released job is delivered again', async () => {
      const { queue, pass, reported } = await create();
      const outcomes: JobOutcome[] = ['release', 'done'];
      let deliveries = 0;
      queue.start(
        () => {
          deliveries += 1;
          return Promise.resolve(outcomes[deliveries - 1] ?? 'done');
        },
        { concurrency: { 'advance-run': 1, 'call-tool': 1 } },
      );
      await queue.enqueue(call('a'));
      await pass(0);
      await pass(LONGEST_REDELIVERY_MS);
      await pass(LONGEST_REDELIVERY_MS);
      expect([deliveries, reported]).toEqual([2, []]);
    });

    test('close aborts the signals of running jobs, waits for them, takes no further job, and hands back what was not done', async () => {
      const { queue, pass } = await create();
      const runs = manual();
      const signals: AbortSignal[] = [];
      queue.start(
        async (job, signal) => {
          signals.push(signal);
          await runs.begin();
          if (job.type === 'call-tool') throw new Error('stopped');
          return job.runId === 'done' ? 'done' : 'release';
        },
        { concurrency: { 'advance-run': 2, 'call-tool': 1 } },
      );
      for (const job of [advance('done'), advance('released'), call('failed'), advance('waiting')])
        await queue.enqueue(job);
      await queue.enqueue(advance('delayed'), { delayMs: 10 });
      await pass(0);
      await queue.enqueue(advance('released'));
      expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
      let handedBack: readonly Job[] | undefined;
      const closing = queue.close().then((jobs) => (handedBack = jobs));
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
      await queue.enqueue(advance('late'));
      await pass(100);
      expect(handedBack).toBeUndefined();
      runs.endAll();
      await closing;
      await pass(LONGEST_REDELIVERY_MS);
      expect(runs.started()).toBe(3);
      // A queue that other processes share loses none.
      const expected = [
        advance('waiting'),
        advance('released'),
        advance('delayed'),
        call('failed'),
      ].map((job) => JSON.stringify(job));
      const lost = (handedBack ?? []).map((job) => JSON.stringify(job));
      expect(lost.length === 0 ? [] : expected.toSorted()).toEqual(lost.toSorted());
    });
  });
}

const recorder =
  (seen: Job[]): JobHandler =>
  (job) => {
    seen.push(job);
    return Promise.resolve('done');
  };

const advance = (runId: string): Job => ({ type: 'advance-run', runId });
const start = (runId: string): Job => ({ type: 'start-run', runId });
const call = (callId: string): Job => ({ type: 'call-tool', callId });

/** Returns a handler whose runs end on demand. */
function manual(): { begin(): Promise<JobOutcome>; started(): number; endAll(): void } {
  let count = 0;
  let open: ((outcome: JobOutcome) => void)[] = [];
  return {
    begin: () => {
      count += 1;
      return new Promise((resolve) => open.push(resolve));
    },
    started: () => count,
    endAll: () => {
      for (const end of open) end('done');
      open = [];
    },
  };
}
