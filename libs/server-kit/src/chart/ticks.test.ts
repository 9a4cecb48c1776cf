import { expect, test } from 'vitest';
import { niceTicks } from './nice-ticks.ts';
import { timeTicks } from './time-ticks.ts';

function labels({ values, format }: ReturnType<typeof niceTicks>): string[] {
  return values.map((value) => format(value));
}

test.each([
  [0, 10, ['0', '2', '4', '6', '8', '10']],
  [-3, 11, ['-4', '-2', '0', '2', '4', '6', '8', '10', '12']],
  [0, 1, ['0', '0.2', '0.4', '0.6', '0.8', '1']],
  [0, 1.6, ['0', '0.25', '0.5', '0.75', '1', '1.25', '1.5', '1.75']],
  [0, 16_000, ['0', '2,500', '5,000', '7,500', '10,000', '12,500', '15,000', '17,500']],
  [0, 3.2e6, ['0', '0.5M', '1M', '1.5M', '2M', '2.5M', '3M', '3.5M']],
  [0, 7e9, ['0', '1B', '2B', '3B', '4B', '5B', '6B', '7B']],
  [0, 1e18, ['0', '2e17', '4e17', '6e17', '8e17', '1e18']],
  [5, 5, ['2', '3', '4', '5', '6', '7', '8']],
])('%d to %d: %j', (low, high, expected) => {
  expect(labels(niceTicks(low, high))).toEqual(expected);
});

test('encloses the ends of any range, with few ticks', () => {
  for (const [low, high] of [
    [0, 0],
    [-1e-9, 1e-9],
    [1e-300, 2e-300],
    [-1.7e308, 1.7e308],
    [123_456, 123_457],
    [9007199254740990, 9007199254740991],
  ] as const) {
    const { min, max, values } = niceTicks(low, high);
    expect([min, max]).toEqual([values[0], values.at(-1)]);
    expect([min <= low || low < -1e300, max >= high || high > 1e300]).toEqual([true, true]);
    expect(new Set(values).size).toBe(values.length);
    expect([values.length < 12, values.length > 1]).toEqual([true, true]);
  }
});

test.each([
  [
    '2026-01-01',
    '2026-01-06',
    ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05', '2026-01-06'],
  ],
  ['2025-11-15', '2026-03-20', ['2025-12', '2026-01', '2026-02', '2026-03']],
  ['1990-01-01', '2026-01-01', ['1990', '1995', '2000', '2005', '2010', '2015', '2020', '2025']],
  [
    '2026-01-01T10:00Z',
    '2026-01-01T11:50Z',
    ['10:00', '10:15', '10:30', '10:45', '11:00', '11:15', '11:30', '11:45'],
  ],
  [
    '2026-01-01',
    '2026-01-03',
    [
      '01-01 00:00',
      '01-01 06:00',
      '01-01 12:00',
      '01-01 18:00',
      '01-02 00:00',
      '01-02 06:00',
      '01-02 12:00',
      '01-02 18:00',
      '01-03 00:00',
    ],
  ],
])('%s to %s: %j', (from, to, expected) => {
  expect(labels(timeTicks(Date.parse(from), Date.parse(to)))).toEqual(expected);
});
