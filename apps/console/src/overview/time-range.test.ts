import { expect, test } from 'vitest';
import { spanAt, TIME_RANGES, timeRange } from './time-range.ts';

test('a span ends with the current interval and does not move within it', () => {
  const range = timeRange('24h');
  const at = Date.parse('2026-11-28T09:07:00Z');
  expect(spanAt(range, at)).toEqual({
    from: '2026-11-27T09:15:00.000Z',
    to: '2026-11-28T09:15:00.000Z',
    interval: 900,
  });
  expect(spanAt(range, at + 7 * 60_000)).toEqual(spanAt(range, at));
  expect(spanAt(range, at + 8 * 60_000)).not.toEqual(spanAt(range, at));
});

test('every span has whole intervals, and not more than a plot can show', () => {
  for (const { spanMs, intervalMs } of TIME_RANGES) {
    expect(spanMs % intervalMs).toBe(0);
    expect(spanMs / intervalMs).toBeLessThanOrEqual(100);
  }
});

test('an unknown span is the shortest one', () => {
  expect(timeRange('')).toBe(TIME_RANGES[0]);
});
