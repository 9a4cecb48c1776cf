import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

test('owners take turns, each in its own order', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item);
  for (const item of ['b1', 'c1', 'b2']) queue.push(item.slice(0, 1), item);
  expect([queue.size, queue.sizeOf('a'), queue.sizeOf('d')]).toEqual([6, 3, 0]);
  expect([queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual([
    'a1',
    'b1',
    'c1',
    'a2',
  ]);
  expect(queue.drain()).toEqual(['b2', 'a3']);
  expect([queue.size, queue.shift()]).toEqual([0, undefined]);
});
