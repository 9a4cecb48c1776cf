import type { Run } from '@signalbox/client';
import { expect, test } from 'vitest';
import { hasWords, parseSearch } from './run-filter.ts';

test('a search has metadata and words', () => {
  expect(parseSearch(' Refund  team=support a.b=c=d =x ')).toEqual({
    metadata: { team: 'support', 'a.b': 'c=d' },
    words: ['refund', '=x'],
  });
});

test('every word must occur in the texts of a run', () => {
  const run = {
    id: '01a2',
    prompt: 'Refund the order',
    answer: 'Done.',
    metadata: { team: 'Support' },
  } as unknown as Run;
  expect(hasWords(run, [])).toBe(true);
  expect(hasWords(run, ['refund', 'done', 'support', '01a2'])).toBe(true);
  expect(hasWords(run, ['refund', 'weather'])).toBe(false);
});
