import { expect, test } from 'vitest';
import { linePath, niceMax, stackTops } from './plot-scale.ts';

test.each([
  [0, 1],
  [1, 1],
  [3, 5],
  [23, 25],
  [0.03, 0.05],
  [1001, 2000],
])('the axis for a largest value of %d ends at %d', (value, expected) => {
  expect(niceMax(value)).toBeCloseTo(expected);
});

test('stacked bars end at the sum, and a value that was not measured adds nothing', () => {
  expect(stackTops([[1, 2, undefined], [3]])).toEqual([4, 2, 0]);
  expect(stackTops([])).toEqual([]);
});

test('a line has gaps where nothing was measured, and a single value stays visible', () => {
  expect(linePath([10, 20, undefined, 5], 20)).toBe('M0.5 50L1.5 0M3.5 75L3.5 75');
  expect(linePath([undefined], 1)).toBe('');
});
