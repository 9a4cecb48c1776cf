import { expect, test } from 'vitest';
import type { Retry } from '../../ports/store/progress.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { RetrySweep } from './retry-sweep.ts';

interface Started {
  readonly clock: ManualClock;
  readonly stored: Map<string, number>;
  readonly due: string[];
  readonly errors: unknown[];
  readonly sweep: RetrySweep;
  readonly reads: () => number;
  /** Advances the clock and lets the sweep read. */
  readonly pass: (ms: number) => Promise<void>;
}

async function start({
  isBroken = () => false,
}: { isBroken?: () => boolean } = {}): Promise<Started> {
  const clock = new ManualClock();
  const stored = new Map<string, number>();
  const due: string[] = [];
  const errors: unknown[] = [];
  let reads = 0;
  const sweep = new RetrySweep({
    clock,
    read: {
      retries: ({ until, after, limit }) => {
        reads += 1;
        if (isBroken()) return Promise.reject(new Error('disk I/O error'));
        const rows: Retry[] = [...stored].map(([runId, retryAt]) => ({ runId, retryAt }));
        const sorted = rows.toSorted(
          (a, b) => a.retryAt - b.retryAt || a.runId.localeCompare(b.runId),
        );
        const from = sorted.findIndex(({ runId }) => runId === after?.runId) + 1;
        return Promise.resolve(
          sorted.slice(from, from + limit).filter(({ retryAt }) => retryAt <= until),
        );
      },
    },
    onDue: (runId) => due.push(runId),
    onError: (error) => errors.push(error),
  });
  await sweep.start();
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await new Promise((resolve) => void setImmediate(resolve));
  };
  return { clock, stored, due, errors, sweep, pass, reads: () => reads };
}

test('a stored retry is reported at its time, also with the single timer of many', async () => {
  const { clock, stored, due, sweep, pass } = await start();
  const now = clock.now();
  for (const [runId, ms] of [
    ['b', 700],
    ['a', 300],
    ['c', 90_000],
  ] as const) {
    stored.set(runId, now + ms);
    sweep.wakeAt(now + ms);
  }
  expect(clock.waits).toEqual([300]);
  await pass(299);
  expect(due).toEqual([]);
  await pass(1);
  expect(due).toEqual(['a']);
  stored.delete('a');
  await pass(400);
  expect(due).toEqual(['a', 'b']);
  expect(clock.waits).toHaveLength(1);
});

test('a retry that another process stored is reported within 2 s of its time', async () => {
  const { clock, stored, due, pass } = await start();
  stored.set('a', clock.now() + 100);
  await pass(2000);
  expect(due).toEqual(['a']);
});

test('a retry is reported again every 2 s until its attempt is claimed', async () => {
  const { clock, stored, due, pass } = await start();
  stored.set('a', clock.now());
  await pass(2000);
  await pass(2000);
  expect(due).toEqual(['a', 'a']);
  stored.delete('a');
  await pass(2000);
  expect(due).toEqual(['a', 'a']);
});

test('a clock that jumps forward, and time that passes at once, delay no retry by more than 2 s', async () => {
  const { clock, stored, due, sweep, pass } = await start();
  stored.set('a', clock.now() + 3_600_000);
  sweep.wakeAt(clock.now() + 3_600_000);
  clock.adjust(3_600_000);
  await pass(2000);
  expect(due).toEqual(['a']);
  stored.set('a', clock.now() + 100_000);
  await pass(100_000);
  expect(due).toEqual(['a', 'a']);
});

test('more retries than one read returns are all reported', async () => {
  const { clock, stored, due, pass, reads } = await start();
  for (let index = 0; index < 450; index += 1) stored.set(`r${index}`, clock.now());
  const before = reads();
  await pass(2000);
  expect(new Set(due).size).toBe(450);
  expect(reads() - before).toBe(3);
});

test('a failed read is reported and repeated, and none follows the close', async () => {
  let isBroken = false;
  const { clock, stored, due, errors, sweep, pass } = await start({ isBroken: () => isBroken });
  stored.set('a', clock.now());
  isBroken = true;
  await pass(2000);
  expect([errors.length, due]).toEqual([1, []]);
  isBroken = false;
  await pass(2000);
  expect(due).toEqual(['a']);
  await sweep.close();
  sweep.wakeAt(clock.now());
  await pass(4000);
  expect(due).toEqual(['a']);
  expect(clock.waits).toEqual([]);
});
