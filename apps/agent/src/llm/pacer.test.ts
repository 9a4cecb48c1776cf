import { expect, test } from 'vitest';
import { BURST_MS, Pacer, SHARE, SLICE_MS } from './pacer.ts';

/**
 * A clock that advances only by work and delays, and an event loop that turns only on `endTurn`.
 */
function timing() {
  let now = 0;
  let computed = 0;
  const turns: (() => void)[] = [];
  return {
    now: () => now,
    computed: () => computed,
    turn: () => new Promise<void>((resolve) => turns.push(resolve)),
    delay: (ms: number) => {
      now += ms;
      return Promise.resolve();
    },
    work(ms: number) {
      now += ms;
      computed += ms;
    },
    async endTurn() {
      for (const resolve of turns.splice(0)) resolve();
      await Promise.resolve();
    },
  };
}

test('work pauses for a turn of the event loop after each slice', async () => {
  const clock = timing();
  const pacer = new Pacer(clock);
  expect(pacer.next()).toBeUndefined();
  clock.work(SLICE_MS - 1);
  expect(pacer.next()).toBeUndefined();
  clock.work(1);
  const pause = pacer.next();
  expect(pause).toBeInstanceOf(Promise);
  await clock.endTurn();
  await pause;
  expect(pacer.next()).toBeUndefined();
});

test('a stream that waits between its events never pauses', async () => {
  const clock = timing();
  const pacer = new Pacer(clock);
  for (let count = 0; count < 100; count += 1) {
    expect(pacer.next()).toBeUndefined();
    clock.work(50);
    await clock.endTurn();
  }
});

test('continuous work uses a tenth of the time after its burst', async () => {
  const clock = timing();
  const pacer = new Pacer(clock);
  let worked = 0;
  while (worked < 1000) {
    const pause = pacer.next();
    if (pause !== undefined) {
      await clock.endTurn();
      await pause;
    }
    clock.work(SLICE_MS);
    worked += SLICE_MS;
  }
  expect(worked / clock.now()).toBeLessThan(SHARE * 1.1);
  expect((worked - BURST_MS) / clock.now()).toBeGreaterThan(SHARE * 0.85);
});

test('a long computation delays the stream by a quarter of a second at most', async () => {
  const clock = timing();
  const pacer = new Pacer(clock);
  void pacer.next();
  const delays: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    clock.work(30);
    const before = clock.now();
    const pause = pacer.next();
    await clock.endTurn();
    await pause;
    delays.push(clock.now() - before);
  }
  expect(Math.max(...delays)).toBeGreaterThan(0);
  expect(Math.max(...delays)).toBeLessThanOrEqual(250);
});
