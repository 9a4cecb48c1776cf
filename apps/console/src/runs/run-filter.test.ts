import { expect, test } from 'vitest';
import { parseSearch } from './run-filter.ts';

test('a search has metadata and words', () => {
  expect(parseSearch(' Refund  team=support a.b=c=d =x ')).toEqual({
    metadata: { team: 'support', 'a.b': 'c=d' },
    words: 'Refund =x',
  });
  expect(parseSearch(' team=support ')).toEqual({ metadata: { team: 'support' }, words: '' });
});
