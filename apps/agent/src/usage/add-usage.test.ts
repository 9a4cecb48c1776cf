import { expect, test } from 'vitest';
import { addUsage } from './add-usage.ts';
import type { Usage } from '../ports/llm-provider.ts';

const REPORTED: Usage = {
  input: 10,
  cacheRead: 2,
  cacheWrite: 1,
  output: 5,
  reasoning: 3,
  source: 'reported',
  costUsd: 0.25,
};

test('a sum has the source of its less reliable part', () => {
  expect(addUsage(REPORTED, { ...REPORTED, source: 'partial' })).toEqual({
    input: 20,
    cacheRead: 4,
    cacheWrite: 2,
    output: 10,
    reasoning: 6,
    source: 'partial',
    costUsd: 0.5,
  });
});

test('an unknown cost makes the sum unknown, on either side', () => {
  const { costUsd: _, ...unknown } = REPORTED;
  expect(addUsage(REPORTED, unknown)).not.toHaveProperty('costUsd');
  expect(addUsage(unknown, REPORTED)).not.toHaveProperty('costUsd');
});
