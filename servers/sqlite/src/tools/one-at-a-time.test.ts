import { expect, test } from 'vitest';
import { OneAtATime } from './one-at-a-time.ts';

const never = new AbortController().signal;

test('works run one after another, also after a failure and past a cancelled one', async () => {
  const queue = new OneAtATime();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const controller = new AbortController();
  const first = queue.run(never, async () => {
    await gate.promise;
    order.push('first');
    throw new Error('failed');
  });
  const cancelled = queue.run(controller.signal, () => Promise.resolve(order.push('cancelled')));
  const last = queue.run(never, () => Promise.resolve(order.push('last')));
  controller.abort(new Error('no longer wanted'));
  await expect(cancelled).rejects.toThrow('no longer wanted');
  expect(order).toEqual([]);
  gate.resolve();
  await expect(first).rejects.toThrow('failed');
  await last;
  expect(order).toEqual(['first', 'last']);
});
