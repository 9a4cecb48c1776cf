import { expect, test } from 'vitest';
import { subtitleOf } from './subtitle.ts';

test.for([
  ['read_query', 'Read query'],
  ['readQuery', 'Read Query'],
  ['read-query', ' read query'],
] as const)('below %s, the title “%s” gives way to the description', ([name, title]) => {
  expect(subtitleOf(name, title, 'Runs a statement.')).toBe('Runs a statement.');
});

test.for([
  ['count', 'Count to a number', 'Count to a number'],
  ['count', undefined, 'Reports every step.'],
] as const)('below %s with the title %s is “%s”', ([name, title, text]) => {
  expect(subtitleOf(name, title, 'Reports every step.')).toBe(text);
});

test('without a title and a description it is empty', () => {
  expect(subtitleOf('count', undefined)).toBe('');
});
