import { expect, test } from 'vitest';
import { TurnBudget } from './turn-budget.ts';

test('after 256 KiB the rest waits for the next turn of the event loop, which reads as many again', async () => {
  const budget = new TurnBudget();
  expect(budget.read(200 * 1024)).toBeUndefined();
  let hasNextTurnBegun = false;
  setImmediate(() => {
    hasNextTurnBegun = true;
  });
  const full = budget.read(56 * 1024);
  expect(full).toBeInstanceOf(Promise);
  await Promise.resolve();
  expect(hasNextTurnBegun).toBe(false);
  await full;
  expect(budget.read(200 * 1024)).toBeUndefined();
  expect(budget.read(200 * 1024)).toBeInstanceOf(Promise);
});

test('bytes before the last read of a turn do not count in the next turn', () => {
  const budget = new TurnBudget();
  expect(budget.read(200 * 1024, true)).toBeUndefined();
  expect(budget.read(200 * 1024)).toBeUndefined();
  expect(budget.read(56 * 1024, true)).toBeInstanceOf(Promise);
});
