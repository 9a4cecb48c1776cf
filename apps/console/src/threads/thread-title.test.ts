import { expect, test } from 'vitest';
import { titleOf } from './thread-title.ts';

test('the title of a thread is the first line of its first message', () => {
  expect(titleOf('  Which customers bought most?\nBe brief.')).toBe('Which customers bought most?');
});

test('a long line is cut between two words, and a long word within it', () => {
  const words = titleOf(`${'word '.repeat(11)}longer and more`);
  expect(words).toBe(`${'word '.repeat(11).trim()}…`);
  expect(titleOf('x'.repeat(200))).toBe(`${'x'.repeat(60)}…`);
});
