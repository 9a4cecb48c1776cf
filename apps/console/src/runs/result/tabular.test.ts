import { expect, test } from 'vitest';
import { numbersOf, tablesIn } from './tabular.ts';

test('rows with named columns are a table', () => {
  const result = {
    columns: [{ name: 'customer', type: 'text' }, { name: 'total' }],
    rows: [
      ['Ada', '134917.50'],
      ['Bo', 7],
    ],
    rowCount: 2,
  };
  const [table] = tablesIn(result);
  expect(table).toEqual({
    title: undefined,
    columns: ['customer', 'total'],
    rows: [
      ['Ada', '134917.50'],
      ['Bo', 7],
    ],
  });
  expect(table && numbersOf(table, 0)).toBeUndefined();
  expect(table && numbersOf(table, 1)).toEqual([134917.5, 7]);
});

test('a list of flat objects is a table, also as a property; missing values are null', () => {
  const groups = [{ folder: 'a', count: 2 }, { folder: 'b' }];
  expect(tablesIn({ total: 2, groups })).toEqual([
    {
      title: 'groups',
      columns: ['folder', 'count'],
      rows: [
        ['a', 2],
        ['b', null],
      ],
    },
  ]);
  expect(tablesIn(groups)).toHaveLength(1);
});

test.each([
  [[{ a: { b: 1 } }]],
  [[]],
  [[1, 2]],
  ['text'],
  [null],
  [{ columns: ['a'], rows: [[{}]] }],
  [{ columns: [], rows: [] }],
])('%j has no table', (value) => {
  expect(tablesIn(value)).toEqual([]);
});
