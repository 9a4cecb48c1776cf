import { expect, test } from 'vitest';
import { formatBytes, formatCost, formatDuration, formatRelative } from './format.ts';

test.each([
  [-3, '0 ms'],
  [850, '850 ms'],
  [1234, '1.2 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [200_000, '3 min 20 s'],
  [3_900_000, '1 h 5 min'],
  [93_600_000, '1 d 2 h'],
])('a duration of %d ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [-2000, 'now'],
  [-42_900, '42 s ago'],
  [-200_000, '3 min ago'],
  [-3_900_000, '1 h ago'],
  [7_200_000, 'in 2 h'],
])('a time %d ms from now is %s', (distance, text) => {
  expect(formatRelative(1_000_000_000 + distance, 1_000_000_000)).toBe(text);
});

test.each([
  [0, '$0'],
  [0.00123, '$0.0012'],
  [1.5, '$1.50'],
])('%d dollars are %s', (usd, text) => {
  expect(formatCost(usd)).toBe(text);
});

test.each([
  [999, '999 B'],
  [1500, '1.5 kB'],
  [1_048_576, '1.0 MB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
