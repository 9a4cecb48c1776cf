import { expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { SweepTimer } from './sweep-timer.ts';

interface Started {
  readonly clock: ManualClock;
  readonly stored: Map<string, number>;
  readonly due: string[];
  readonly sweep: SweepTimer;
  /** Advances the clock and lets the sweep read. */
  readonly pass: (ms: number) => Promise<void>;
}

/** Starts a timer whose sweep reports the stored deadlines that are due. */
async function start(): Promise<Started> {
  const clock = new ManualClock();
  const stored = new Map<string, number>();
  const due: string[] = [];
  const sweep = new SweepTimer({
    clock,
    sweep: ({ now, until }) => {
      const later: number[] = [];
      for (const [id, at] of stored)
        if (at <= now) due.push(id);
        else if (at <= until) later.push(at);
      return Promise.resolve(later.length === 0 ? undefined : Math.min(...later));
    },
  });
  await sweep.start();
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await new Promise((resolve) => void setImmediate(resolve));
  };
  return { clock, stored, due, sweep, pass };
}

test('a stored deadline is reported at its time, also with the single timer of many', async () => {
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

test('a deadline that another process stored is reported within 2 s of its time', async () => {
  const { clock, stored, due, pass } = await start();
  stored.set('a', clock.now() + 100);
  await pass(2000);
  expect(due).toEqual(['a']);
});

test('a deadline is reported again every 2 s until it is removed', async () => {
  const { clock, stored, due, pass } = await start();
  stored.set('a', clock.now());
  await pass(2000);
  await pass(2000);
  expect(due).toEqual(['a', 'a']);
  stored.delete('a');
  await pass(2000);
  expect(due).toEqual(['a', 'a']);
});

test('a clock that jumps forward, and time that passes at once, delay no deadline by more than 2 s', async () => {
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

test('the start waits for the first sweep, and not for those that follow at once', async () => {
  const clock = new ManualClock();
  const second = Promise.withResolvers<undefined>();
  let sweeps = 0;
  const timer = new SweepTimer({
    clock,
    sweep: async ({ now }) => {
      sweeps += 1;
      return sweeps === 1 ? now : second.promise;
    },
  });
  await timer.start();
  expect(sweeps).toBe(2);
  expect(clock.waits).toEqual([]);
  second.resolve(undefined);
  await timer.close();
});

test('nothing is reported after the close', async () => {
  const { clock, stored, due, sweep, pass } = await start();
  stored.set('a', clock.now() + 100);
  await sweep.close();
  sweep.wakeAt(clock.now());
  await pass(4000);
  expect(due).toEqual([]);
  expect(clock.waits).toEqual([]);
});
