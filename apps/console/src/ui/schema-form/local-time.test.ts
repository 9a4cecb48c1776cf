import { expect, test } from 'vitest';
import { fromLocalTime, toLocalTime } from './local-time.ts';

test('a time is shown in the zone of the reader and sent in UTC', () => {
  for (const time of ['2026-01-15T08:30:00.000Z', '2026-07-15T22:59:59.000Z'])
    expect(fromLocalTime(toLocalTime(time))).toBe(time);
  expect(fromLocalTime(toLocalTime('2026-01-15T08:30:00+02:00'))).toBe('2026-01-15T06:30:00.000Z');
});

test('a text that is no time is empty', () => {
  expect(toLocalTime('tomorrow')).toBe('');
  expect(fromLocalTime('')).toBe('');
});
