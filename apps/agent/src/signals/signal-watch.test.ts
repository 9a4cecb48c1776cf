import { expect, test } from 'vitest';
import { createInProcessSignalBus } from '../queue/in-process-signal-bus.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { POLL_EVERY_MS, SignalWatch, type Waiter } from './signal-watch.ts';

const quiet: Waiter = { onSignal: () => undefined, onPoll: () => Promise.resolve() };
const soon = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function start() {
  const clock = new ManualClock();
  const watch = new SignalWatch(createInProcessSignalBus(), clock);
  return { clock, watch };
}

test('all waiters look every second with one timer, which exists only while somebody waits', async () => {
  const { clock, watch } = start();
  const looks: number[] = [];
  expect(clock.waits).toEqual([]);
  const unsubscribes = [0, 1, 2].map((waiter) =>
    watch.subscribe('run:a', { ...quiet, onPoll: async () => void looks.push(waiter) }),
  );
  expect(clock.waits).toEqual([POLL_EVERY_MS]);
  for (let second = 0; second < 2; second += 1) {
    clock.advance(POLL_EVERY_MS);
    await soon();
  }
  expect(looks).toEqual([0, 1, 2, 0, 1, 2]);
  for (const unsubscribe of unsubscribes) unsubscribe();
  expect(clock.waits).toEqual([]);
});

test('the next look begins when the current one has ended, and a failed look is repeated', async () => {
  const { clock, watch } = start();
  const slow = Promise.withResolvers<void>();
  let looks = 0;
  watch.subscribe('cancels', {
    ...quiet,
    onPoll: () => {
      looks += 1;
      return looks === 1 ? slow.promise : Promise.reject(new Error('disk I/O error'));
    },
  });
  clock.advance(60_000);
  await soon();
  watch.subscribe('cancels', quiet);
  expect([looks, clock.waits]).toEqual([1, []]);
  slow.resolve();
  await soon();
  for (const count of [2, 3]) {
    expect(clock.waits).toEqual([POLL_EVERY_MS]);
    clock.advance(POLL_EVERY_MS);
    await soon();
    expect(looks).toBe(count);
  }
});

test('a waiter that comes and goes during a look adds no timer', async () => {
  const { clock, watch } = start();
  const slow = Promise.withResolvers<void>();
  const unsubscribe = watch.subscribe('cancels', { ...quiet, onPoll: () => slow.promise });
  clock.advance(POLL_EVERY_MS);
  unsubscribe();
  watch.subscribe('cancels', quiet);
  slow.resolve();
  await soon();
  expect(clock.waits).toEqual([POLL_EVERY_MS]);
});
