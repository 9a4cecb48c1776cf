import { expect, test } from 'vitest';
import { Limiter } from './limiter.ts';

const signal = new AbortController().signal;

/** Creates a task that runs until `finish` is called. */
function heldTask() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let started = false;
  const run = async () => {
    started = true;
    await promise;
  };
  return { run, finish: resolve, isStarted: () => started };
}

test('runs as many tasks as allowed and the others in order', async () => {
  const limiter = new Limiter(2);
  const tasks = [heldTask(), heldTask(), heldTask(), heldTask()];
  const runs = tasks.map((task) => limiter.run(signal, task.run));
  const started = () => tasks.map((task) => task.isStarted());
  await Promise.resolve();
  expect(started()).toEqual([true, true, false, false]);
  tasks[1]!.finish();
  await runs[1];
  await Promise.resolve();
  expect(started()).toEqual([true, true, true, false]);
  for (const task of tasks) task.finish();
  await Promise.all(runs);
  expect(started()).toEqual([true, true, true, true]);
});

test('frees the slot of a task that fails', async () => {
  const limiter = new Limiter(1);
  await expect(limiter.run(signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(limiter.run(signal, async () => 'next')).resolves.toBe('next');
});

test('drops a waiting task when it is aborted and keeps the rest', async () => {
  const limiter = new Limiter(1);
  const [first, dropped, last] = [heldTask(), heldTask(), heldTask()];
  const controller = new AbortController();
  const firstRun = limiter.run(signal, first.run);
  const droppedRun = limiter.run(controller.signal, dropped.run);
  const lastRun = limiter.run(signal, last.run);
  controller.abort(new Error('gone'));
  await expect(droppedRun).rejects.toThrow('gone');
  first.finish();
  last.finish();
  await Promise.all([firstRun, lastRun]);
  expect(dropped.isStarted()).toBe(false);
  expect(last.isStarted()).toBe(true);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'an abort %d microtasks after a task ended removes no other task',
  async (microtasks) => {
    const limiter = new Limiter(1);
    const [first, second, third] = [heldTask(), heldTask(), heldTask()];
    const controller = new AbortController();
    const runs = [
      limiter.run(signal, first.run),
      limiter.run(controller.signal, second.run),
      limiter.run(signal, third.run),
    ];
    first.finish();
    second.finish();
    third.finish();
    for (let passed = 0; passed < microtasks; passed += 1) await Promise.resolve();
    controller.abort(new Error('late'));
    await Promise.allSettled(runs);
    expect(third.isStarted()).toBe(true);
  },
);
