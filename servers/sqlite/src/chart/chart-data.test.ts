import { expect, test } from 'vitest';
import type { ColumnType, QueryResult } from '../executor/protocol.ts';
import { chartData } from './chart-data.ts';

function result(
  columns: readonly (readonly [string, ColumnType?])[],
  ...rows: readonly (readonly unknown[])[]
): QueryResult {
  return {
    columns: columns.map(([name, type]) => (type === undefined ? { name } : { name, type })),
    rows,
    rowCount: rows.length,
    truncated: false,
    elapsedMs: 0,
  };
}

const sales = result(
  [
    ['month', 'text'],
    ['shop', 'text'],
    ['sold', 'integer'],
    ['price', 'real'],
  ],
  ['2026-01', 'a', 1, 2.5],
  ['2026-01', 'b', 3, null],
  ['2026-02', 'a', 4, 0],
);

test('takes the first column as x and every column of numbers as a series', () => {
  expect(chartData(sales, {})).toEqual({
    x: 'month',
    labels: ['2026-01', '2026-01', '2026-02'],
    series: [
      { name: 'sold', values: [1, 3, 4] },
      { name: 'price', values: [2.5, null, 0] },
    ],
  });
});

test('splits one column into series by the values of another', () => {
  expect(chartData(sales, { y: ['sold'], series: 'shop' })).toEqual({
    x: 'month',
    labels: ['2026-01', '2026-02'],
    series: [
      { name: 'a', values: [1, 4] },
      { name: 'b', values: [3, null] },
    ],
  });
});

test('reads large integers, and leaves out infinities', () => {
  const big = result(
    [
      ['x', 'text'],
      ['y', 'int64'],
    ],
    ['a', '9007199254740993'],
    ['b', 7],
    ['c', null],
  );
  expect(chartData(big, {}).series[0]?.values).toEqual([9007199254740992, 7, null]);
  const mixed = result(
    [
      ['x', 'integer'],
      ['y', 'mixed'],
    ],
    [1, { $int64: '-9223372036854775808' }],
    [2, 'Infinity'],
  );
  expect(chartData(mixed, {}).series[0]?.values).toEqual([-9223372036854776000, null]);
});

test('labels a NULL, a cut text and a BLOB', () => {
  const odd = result(
    [
      ['x', 'mixed'],
      ['y', 'integer'],
    ],
    [null, 1],
    [{ $text: 'abc', bytes: 9, truncated: true }, 2],
    [{ $blob: 'AA==', bytes: 1 }, 3],
  );
  expect(chartData(odd, {}).labels).toEqual([null, 'abc', 'BLOB']);
});

test.each([
  [
    result([
      ['x', 'text'],
      ['y', 'integer'],
    ]),
    {},
    'no rows',
  ],
  [sales, { x: 'nope' }, 'no column "nope"; its columns are "month", "shop"'],
  [sales, { y: ['shop'] }, '"shop" has a value in row 1 that is not a number'],
  [result([['x', 'integer']], [1]), {}, 'no column of numbers beside "x"'],
  [sales, { series: 'shop' }, 'exactly one column'],
  [sales, { x: 'shop', y: ['sold'], series: 'shop' }, 'Two rows have the same x "a"'],
  [
    result(
      [['x', 'integer'], ...Array.from({ length: 11 }, (_, at) => [`y${at}`, 'integer'] as const)],
      Array(12).fill(1),
    ),
    {},
    '11 series; at most 10',
  ],
])('refuses %#', (rows, columns, message) => {
  expect(() => chartData(rows, columns)).toThrow(message);
});
