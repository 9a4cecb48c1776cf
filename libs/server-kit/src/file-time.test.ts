import { expect, test } from 'vitest';
import { fileTime } from './file-time.ts';

test.each([
  [0, '1970-01-01T00:00:00.000Z'],
  [1_795_947_151_756.25, '2026-11-29T10:12:31.756Z'],
  [-62_167_219_200_001, '0000-01-01T00:00:00.000Z'],
  [253_402_300_800_000, '9999-12-31T23:59:59.999Z'],
  [1e16, '9999-12-31T23:59:59.999Z'],
  [-1e16, '0000-01-01T00:00:00.000Z'],
])('the time %d is %s', (ms, text) => {
  expect(fileTime(ms).toISOString()).toBe(text);
});
