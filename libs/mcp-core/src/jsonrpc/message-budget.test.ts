import { expect, test } from 'vitest';
import { MessageBudget } from './message-budget.ts';

test('a budget is raised while it is in use, and never lowered', () => {
  const budget = new MessageBudget(10);
  expect([budget.take(10), budget.take(1)]).toEqual([true, false]);
  budget.raiseTo(15);
  budget.raiseTo(12);
  expect([budget.take(5), budget.take(1)]).toEqual([true, false]);
  budget.give(15);
  expect(budget.bytes).toBe(0);
});
