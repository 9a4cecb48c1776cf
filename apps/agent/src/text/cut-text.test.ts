import { expect, test } from 'vitest';
import { cutText } from './cut-text.ts';

test('a long text is cut to its beginning and its end, without half characters', () => {
  expect(cutText('short', 5)).toBe('short');
  expect(cutText('abcdefghijkl', 8)).toBe('abcdef [… 4 of 12 characters left out …] kl');
  expect(cutText('abcde😀ghijk😀', 8).isWellFormed()).toBe(true);
});
