import { describe, expect, test } from 'vitest';
import { predictTrend, type TrendOptions } from './predict-trend.ts';
import { findSeason } from './season-length.ts';
import type { TimeSeries } from './time-series.ts';

const OPTIONS: TrendOptions = { horizon: 6, confidenceLevel: 0.95 };
const SHAPE = [5, -3, 8, 0, -10, 2, 4, -6] as const;

function series(values: readonly number[], calendarSeason = 1): TimeSeries {
  return {
    values,
    filled: 0,
    scale: { step: '1', calendarSeason, timeAt: (position) => position },
  };
}

function valuesOf<T>(count: number, at: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => at(index));
}

/** Returns deterministic noise with the variance of a standard normal variable. */
function noise(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return () => valuesOf(12, uniform).reduce((sum, each) => sum + each, -6);
}

/** Passengers of an airline by month, 1949 to 1960, in thousands: Box and Jenkins (1976), series G. */
const PASSENGERS = [
  112, 118, 132, 129, 121, 135, 148, 148, 136, 119, 104, 118, 115, 126, 141, 135, 125, 149, 170,
  170, 158, 133, 114, 140, 145, 150, 178, 163, 172, 178, 199, 199, 184, 162, 146, 166, 171, 180,
  193, 181, 183, 218, 230, 242, 209, 191, 172, 194, 196, 196, 236, 235, 229, 243, 264, 272, 237,
  211, 180, 201, 204, 188, 235, 227, 234, 264, 302, 293, 259, 229, 203, 229, 242, 233, 267, 269,
  270, 315, 364, 347, 312, 274, 237, 278, 284, 277, 317, 313, 318, 374, 413, 405, 355, 306, 271,
  306, 315, 301, 356, 348, 355, 422, 465, 467, 404, 347, 305, 336, 340, 318, 362, 348, 363, 435,
  491, 505, 404, 359, 310, 337, 360, 342, 406, 396, 420, 472, 548, 559, 463, 407, 362, 405, 417,
  391, 419, 461, 472, 535, 622, 606, 508, 461, 390, 432,
] as const;

describe('predictTrend continues a series with a known answer', () => {
  test.each([
    ['a constant', valuesOf(10, () => 7), () => 7, 'mean', 1],
    ['a line', valuesOf(12, (at) => 3 + 2 * at), (at: number) => 3 + 2 * at, 'linear_trend', 1],
    [
      'a season',
      valuesOf(40, (at) => SHAPE[at % 8] ?? 0),
      (at: number) => SHAPE[at % 8] ?? 0,
      'seasonal_naive',
      8,
    ],
    [
      'a line with a season, which it cuts in the middle',
      valuesOf(45, (at) => 100 + 0.7 * at + (SHAPE[at % 8] ?? 0)),
      (at: number) => 100 + 0.7 * at + (SHAPE[at % 8] ?? 0),
      'decomposition',
      8,
    ],
    [
      'constant growth times a season',
      valuesOf(48, (at) => 1.03 ** at * (20 + (SHAPE[at % 8] ?? 0))),
      (at: number) => 1.03 ** at * (20 + (SHAPE[at % 8] ?? 0)),
      'decomposition_multiplicative',
      8,
    ],
  ] as const)('%s', (_name, values, expected, method, season) => {
    const trend = predictTrend(series(values), OPTIONS);
    expect([trend.method, trend.seasonLength]).toEqual([method, season]);
    expect(trend.error.rmse).toBeCloseTo(0, 6);
    for (const { time, value, low, high } of trend.forecast) {
      expect(value).toBeCloseTo(expected(Number(time)), 4);
      expect(high - low).toBeCloseTo(0, 4);
    }
    expect(trend.forecast.map(({ time }) => time)).toEqual(
      valuesOf(6, (index) => values.length + index),
    );
  });

  test('the passengers of 1960 from those before, within 7 percent', () => {
    const trend = predictTrend(series(PASSENGERS.slice(0, 132), 12), {
      horizon: 12,
      confidenceLevel: 0.95,
    });
    const actual = PASSENGERS.slice(132);
    const errors = trend.forecast.map(({ value }, index) =>
      Math.abs(1 - value / (actual[index] ?? 0)),
    );
    expect(trend.seasonLength).toBe(12);
    expect(errors.reduce((sum, error) => sum + error, 0) / 12).toBeLessThan(0.07);
    expect(trend.error.mape).toBeLessThan(7);
    const inside = trend.forecast.filter(
      ({ low, high }, index) => low <= (actual[index] ?? 0) && (actual[index] ?? 0) <= high,
    );
    expect(inside.length).toBeGreaterThanOrEqual(10);
  });
});

describe('predictTrend', () => {
  test('gives intervals that contain about the share of values that they promise', () => {
    for (const [confidenceLevel, least, most] of [
      [0.95, 0.87, 1],
      [0.5, 0.38, 0.65],
    ] as const) {
      const outcomes = valuesOf(30, (seed) => {
        const next = noise(seed + 1);
        const values = valuesOf(78, (at) => 50 + 0.2 * at + (SHAPE[at % 6] ?? 0) + next());
        return predictTrend(series(values.slice(0, 72)), {
          horizon: 6,
          confidenceLevel,
        }).forecast.map(({ time, low, high }) => {
          const actual = values[Number(time)] ?? NaN;
          return low <= actual && actual <= high ? 1 : 0;
        });
      }).flat();
      const share = outcomes.reduce<number>((sum, each) => sum + each, 0) / outcomes.length;
      expect(share).toBeGreaterThan(least);
      expect(share).toBeLessThanOrEqual(most);
    }
  });

  test.each([1e9, 1e12, 1e15])('finds the line in small changes of %d', (base) => {
    const trend = predictTrend(series(valuesOf(24, (at) => base + 7 * at + (at % 2))), OPTIONS);
    expect(trend.error.rmse).toBe(trend.candidates[0]?.rmse);
    for (const { time, value } of trend.forecast)
      expect(Math.abs(value - base - 7 * Number(time))).toBeLessThan(2);
  });

  test('predicts nothing from fewer than six values, whatever was filled in', () => {
    const values = valuesOf(10, () => 3);
    expect(predictTrend({ ...series(values), filled: 4 }, OPTIONS).forecast).toHaveLength(6);
    expect(() => predictTrend({ ...series(values), filled: 5 }, OPTIONS)).toThrow(
      'Only 5 of the 10 points have a value',
    );
  });

  test('is deterministic, and reports how every method did, the best first', () => {
    const next = noise(7);
    const values = valuesOf(60, (at) => 20 + (SHAPE[at % 7] ?? 0) + next());
    const trend = predictTrend(series(values), OPTIONS);
    expect(predictTrend(series(values), OPTIONS)).toEqual(trend);
    expect(trend.seasonLength).toBe(7);
    expect(trend.candidates[0]).toEqual({ method: trend.method, rmse: trend.error.rmse });
    expect(trend.candidates).toHaveLength(8);
    expect(trend.error).toMatchObject({ steps: 6, folds: 8 });
    expect(trend.error.mae).toBeLessThanOrEqual(trend.error.rmse);
  });

  test('widens the interval with the distance and the confidence', () => {
    const next = noise(3);
    let level = 0;
    const walk = series(valuesOf(60, () => (level += next())));
    const width = (confidenceLevel: number, step: number) => {
      const { high = 0, low = 0 } =
        predictTrend(walk, { ...OPTIONS, methods: ['naive'], confidenceLevel }).forecast[
          step - 1
        ] ?? {};
      return high - low;
    };
    expect(width(0.95, 4) / width(0.95, 1)).toBeCloseTo(2, 5);
    expect(width(0.95, 1) / width(0.6827, 1)).toBeCloseTo(1.96, 3);
  });

  test('uses only the given methods and season', () => {
    const values = valuesOf(24, (at) => at % 4);
    expect(predictTrend(series(values), { ...OPTIONS, methods: ['holt'] }).method).toBe('holt');
    expect(predictTrend(series(values), { ...OPTIONS, seasonLength: 1 }).seasonLength).toBe(1);
    expect(
      predictTrend(series(values), { ...OPTIONS, seasonLength: 8, methods: ['seasonal_naive'] }),
    ).toMatchObject({ seasonLength: 8, method: 'seasonal_naive' });
  });

  test('predicts nothing below 0 when told so', () => {
    const falling = series(valuesOf(10, (at) => 20 - 2 * at));
    const { forecast } = predictTrend(falling, { ...OPTIONS, nonNegative: true });
    expect(forecast.map(({ value }) => value)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(predictTrend(falling, OPTIONS).forecast.at(-1)?.value).toBeCloseTo(-10, 6);
  });

  test('has no percentage for values of 0', () => {
    expect(predictTrend(series(valuesOf(12, (at) => at % 2)), OPTIONS).error.mape).toBeNull();
  });

  test('takes 2000 values with a long season', () => {
    const next = noise(5);
    const values = valuesOf(2000, (at) => 10 * Math.sin((at * Math.PI) / 84) + next());
    expect(predictTrend(series(values), OPTIONS).seasonLength).toBeGreaterThan(160);
  });

  test.each([
    [valuesOf(5, (at) => at), {}, 'at least 6'],
    [valuesOf(10, (at) => at), { seasonLength: 12 }, 'too few for a season of 12: at least 15'],
    [valuesOf(10, (at) => at), { methods: ['seasonal_naive'] }, 'no season'],
    [
      valuesOf(16, (at) => (at % 4) - 1),
      { methods: ['decomposition_multiplicative'] },
      'needs values above 0',
    ],
  ])('refuses %#', (values, options, message) => {
    expect(() => predictTrend(series(values), { ...OPTIONS, ...options })).toThrow(message);
  });
});

describe('findSeason', () => {
  test.each([
    ['none in a line', valuesOf(50, (at) => at), 1, 1],
    ['none in noise', valuesOf(200, noise(11)), 12, 1],
    ['the shortest of its multiples', valuesOf(120, (at) => SHAPE[at % 6] ?? 0), 12, 6],
    ['none longer than half of the values', valuesOf(14, (at) => SHAPE[at % 8] ?? 0), 8, 1],
  ])('%s', (_name, values, calendarSeason, expected) => {
    expect(findSeason(values, calendarSeason)).toBe(expected);
  });
});
