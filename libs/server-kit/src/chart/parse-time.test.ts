import { expect, test } from 'vitest';
import { formatTime, parseTime } from './parse-time.ts';

test.each([
  ['2026', '2026-01-01T00:00:00.000Z', 'year'],
  ['2026-11', '2026-11-01T00:00:00.000Z', 'month'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z', 'day'],
  ['2026-11-23 08:30', '2026-11-23T08:30:00.000Z', 'minute'],
  ['2026-11-23T08:30:59', '2026-11-23T08:30:59.000Z', 'second'],
  ['2026-11-23T08:30:59.25Z', '2026-11-23T08:30:59.250Z', 'second'],
  ['2026-11-23 08:30:00+02:00', '2026-11-23T06:30:00.000Z', 'second'],
  ['2026-11-23T08:30-0130', '2026-11-23T10:00:00.000Z', 'minute'],
])('reads %s', (text, iso, unit) => {
  const time = parseTime(text);
  expect([new Date(time?.ms ?? NaN).toISOString(), time?.unit]).toEqual([iso, unit]);
});

test.each([
  '',
  '26',
  '2026-13',
  '2026-02-30',
  '2026-1-1',
  '2026-11-23 25:00',
  'tomorrow',
  '2026-11-23x',
])('does not read %j', (text) => {
  expect(parseTime(text)).toBeUndefined();
});

test.each([
  '2026',
  '2026-11',
  '2026-11-23',
  '2026-11-23 08:30',
  '2026-11-23T08:30:59',
  '2026-11-23T08:30:59Z',
  '2026-11-23 08:30:59.250',
  '2026-11-23T08:30:59.5Z',
  '2026-11-23 08:30:59.123000',
])('writes %s as it was', (text) => {
  const time = parseTime(text);
  expect(time === undefined ? '' : formatTime(time.ms, time)).toBe(text);
});
