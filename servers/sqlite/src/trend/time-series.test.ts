import { ToolError } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import type { ColumnType, QueryResult } from '../executor/protocol.ts';
import { timeSeries, type SeriesColumns } from './time-series.ts';

function result(
  rows: readonly (readonly unknown[])[],
  types: readonly ColumnType[] = ['text', 'real'],
): QueryResult {
  return {
    columns: types.map((type, index) => ({ name: `c${index}`, type })),
    rows,
    rowCount: rows.length,
    truncated: false,
    elapsedMs: 0,
  };
}

/** Returns the step, and the two times after the last of these times. */
function following(times: readonly (string | number)[]): unknown[] {
  const { values, scale } = timeSeries(result(times.map((time) => [time, 1])), { fillGaps: true });
  return [scale.step, scale.timeAt(values.length), scale.timeAt(values.length + 1)];
}

describe('timeSeries', () => {
  test.each([
    [['2023', '2024', '2025'], '1 year', '2026', '2027'],
    [['2025-10', '2025-11', '2025-12'], '1 month', '2026-01', '2026-02'],
    [['2025-01-15', '2025-04-15', '2025-07-15'], '3 months', '2025-10-15', '2026-01-15'],
    [['2025-11-30', '2025-12-31', '2026-01-31'], '1 month', '2026-02-28', '2026-03-31'],
    [['2026-02-27', '2026-02-28', '2026-03-01'], '1 day', '2026-03-02', '2026-03-03'],
    [['2026-01-05', '2026-01-12', '2026-01-19'], '1 week', '2026-01-26', '2026-02-02'],
    [['2026-01-01 22:00', '2026-01-01 23:00'], '1 hour', '2026-01-02 00:00', '2026-01-02 01:00'],
    [
      ['2026-01-01T00:00:00Z', '2026-01-01T00:15:00Z'],
      '15 minutes',
      '2026-01-01T00:30:00Z',
      '2026-01-01T00:45:00Z',
    ],
    [
      ['2026-01-01 00:00:00', '2026-01-01 00:00:00.25'],
      '250 milliseconds',
      '2026-01-01 00:00:00.50',
      '2026-01-01 00:00:00.75',
    ],
    [[1, 2, 3], '1', 4, 5],
    [[0.1, 0.2, 0.3], '0.1', 0.4, 0.5],
  ])('continues %j by %s', (times, ...expected) => {
    expect(following(times)).toEqual(expected);
  });

  test.each([
    [['9998', '9999'], 1],
    [['9999-11', '9999-12'], 1],
    [['9999-12-30', '9999-12-31'], 1],
    [['9999-12-31 22:00', '9999-12-31 23:00'], 1],
    [['0001', '2001', '4001', '6001', '8001'], 500],
    [['0001', '9999'], 500],
    [['9999-12-31 22:00Z', '9999-12-31 23:00Z'], 9000],
  ])('refuses a time after the year 9999: %j and %i steps more', (times, steps) => {
    const { values, scale } = timeSeries(result(times.map((time) => [time, 1])), {});
    expect(scale.timeAt(values.length - 1)).toBe(times.at(-1));
    expect(() => scale.timeAt(values.length + steps - 1)).toThrow(
      new ToolError(
        'The predictions reach beyond the year 9999, the last that a time can have; choose a smaller horizon.',
      ),
    );
  });

  test.each([
    ['9999-12-31 23:30-01:00', 'outside of the years 0000 to 9999'],
    ['0000-01-01 00:30+01:00', 'outside of the years 0000 to 9999'],
    ['10000-01-01', 'neither a number nor a time'],
  ])('refuses %s in the data', (time, problem) => {
    const rows = [time, '2026-01-01 00:00Z'].map((each) => [each, 1]);
    expect(() => timeSeries(result(rows), {})).toThrow(`The time "${time}" in row 1 is ${problem}`);
  });

  test('sorts the rows and reads large integers', () => {
    const rows = [
      ['2026-03', '9007199254740993'],
      ['2026-01', 1],
      ['2026-02', 2.5],
    ];
    expect(timeSeries(result(rows, ['text', 'int64']), {}).values).toEqual([
      1, 2.5, 9007199254740992,
    ]);
  });

  test('takes the named columns', () => {
    const rows = [
      ['x', 5, '2026'],
      ['y', 6, '2027'],
    ];
    expect(
      timeSeries(result(rows, ['text', 'integer', 'text']), { time: 'c2', value: 'c1' }).values,
    ).toEqual([5, 6]);
  });

  test('fills gaps and NULL on request only', () => {
    const rows = [
      ['2026-01-01', 10],
      ['2026-01-02', null],
      ['2026-01-03', 20],
      ['2026-01-05', 40],
    ];
    expect(() => timeSeries(result(rows), {})).toThrow(
      '2 of the values are missing (steps of 1 day): 2026-01-02, 2026-01-04. Set fill_gaps',
    );
    expect(timeSeries(result(rows), { fillGaps: true })).toMatchObject({
      values: [10, 15, 20, 30, 40],
      filled: 2,
    });
    const ends = [
      ['2026', null],
      ['2027', 3],
      ['2028', null],
    ];
    expect(timeSeries(result(ends), { fillGaps: true }).values).toEqual([3, 3, 3]);
  });

  test.each<[string, QueryResult, SeriesColumns, string]>([
    [
      'a text',
      result([
        ['2026', 1],
        ['2027', 'x'],
      ]),
      {},
      '"c1" has a value in row 2 that is not a number',
    ],
    [
      'a huge number',
      result([
        ['2026', 1],
        ['2027', 1e200],
      ]),
      {},
      'beyond ±1e100',
    ],
    [
      'a time that repeats',
      result([
        ['2026', 1],
        ['2027', 1],
        ['2027', 2],
      ]),
      {},
      'Two rows have the time 2027',
    ],
    [
      'no time',
      result([
        ['2026', 1],
        ['May', 1],
      ]),
      {},
      'The time "May" in row 2',
    ],
    [
      'mixed precision',
      result([
        ['2026', 1],
        ['2026-01', 1],
      ]),
      {},
      'different precision',
    ],
    [
      'irregular times',
      result([
        ['2026-01-01', 1],
        ['2026-01-03', 1],
        ['2026-01-05', 1],
        ['2026-01-08', 1],
      ]),
      {},
      'most are 2 days apart, but 2026-01-05 and 2026-01-08',
    ],
    ['one row', result([['2026', 1]]), {}, 'returned 1 rows'],
    ['one column', result([['2026']], ['text']), {}, 'two columns'],
    [
      'an unknown column',
      result([['2026', 1]]),
      { time: 'day' },
      'no column "day"; its columns are "c0", "c1"',
    ],
    [
      'too many points',
      result(
        [
          [0, 1],
          [1, 1],
          [9999, 1],
        ],
        ['integer', 'real'],
      ),
      {},
      '10000 points; at most 2000',
    ],
    ['a result that was cut', { ...result([['2026', 1]]), truncated: true }, {}, 'GROUP BY'],
  ])('refuses %s', (_name, rows, columns, message) => {
    expect(() => timeSeries(rows, columns)).toThrow(message);
  });
});
