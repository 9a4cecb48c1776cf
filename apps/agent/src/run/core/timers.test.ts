import { expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { Timers, type Deadline } from './timers.ts';

const DAY_MS = 86_400_000;

function start(): {
  readonly clock: ManualClock;
  readonly due: Deadline[];
  readonly timers: Timers;
  readonly waits: number[];
} {
  const clock = new ManualClock();
  const due: Deadline[] = [];
  const waits: number[] = [];
  const recording = {
    now: () => clock.now(),
    after: (ms: number, callback: () => void) => {
      waits.push(ms);
      return clock.after(ms, callback);
    },
  };
  return { clock, due, waits, timers: new Timers(recording, (deadline) => due.push(deadline)) };
}

test('a deadline fires once, at its time', () => {
  const { clock, due, timers } = start();
  timers.set({ type: 'wall-clock', runId: 'r' }, clock.now() + 100);
  clock.advance(99);
  expect(due).toEqual([]);
  clock.advance(1000);
  expect(due).toEqual([{ type: 'wall-clock', runId: 'r' }]);
});

test('a deadline that is set again moves, a cleared deadline never fires, and other deadlines are unaffected', () => {
  const { clock, due, timers } = start();
  timers.set({ type: 'wall-clock', runId: 'r' }, clock.now() + 100);
  timers.set({ type: 'wall-clock', runId: 'r' }, clock.now() + 500);
  timers.set({ type: 'wall-clock-warning', runId: 'r' }, clock.now() + 100);
  timers.set({ type: 'inbox-item', itemId: 'r' }, clock.now() + 100);
  timers.clear({ type: 'inbox-item', itemId: 'r' });
  clock.advance(100);
  expect(due).toEqual([{ type: 'wall-clock-warning', runId: 'r' }]);
  timers.clearAll();
  clock.advance(1000);
  expect(due).toHaveLength(1);
});

test('a deadline in the past fires at the next clock tick', () => {
  const { clock, due, timers } = start();
  timers.set({ type: 'inbox-item', itemId: 'i' }, clock.now() - 5);
  expect(due).toEqual([]);
  clock.advance(0);
  expect(due).toHaveLength(1);
});

test('a deadline beyond the maximum timeout of the platform uses several timers', () => {
  const { clock, due, timers, waits } = start();
  timers.set({ type: 'inbox-item', itemId: 'i' }, clock.now() + 60 * DAY_MS);
  clock.advance(59 * DAY_MS);
  expect(due).toEqual([]);
  clock.advance(DAY_MS);
  expect(due).toEqual([{ type: 'inbox-item', itemId: 'i' }]);
  expect(Math.max(...waits)).toBeLessThan(2 ** 31);
});

test('a deadline whose timer fires early, or whose clock was set back, fires at its time', () => {
  const clock = new ManualClock();
  const due: Deadline[] = [];
  let setBackMs = 0;
  const early = {
    now: () => clock.now() - setBackMs,
    after: (ms: number, callback: () => void) => clock.after(ms > 1 ? ms - 1 : ms, callback),
  };
  const timers = new Timers(early, (deadline) => due.push(deadline));
  timers.set({ type: 'inbox-item', itemId: 'i' }, early.now() + 100);
  setBackMs = 5000;
  clock.advance(5099);
  expect(due).toEqual([]);
  clock.advance(2);
  expect(due).toEqual([{ type: 'inbox-item', itemId: 'i' }]);
});
