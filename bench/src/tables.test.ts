import { expect, test } from 'vitest';
import { median } from './figures.ts';
import type { Row } from './results.ts';
import { formatTable, type Table } from './tables.ts';

test('the median is the middle value, or the mean of the middle two', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([9, 1, 5, 7])).toBe(6);
  expect(median([])).toBeNaN();
});

test('a table shows medians, their spread and the ratio to ours in the same variant', () => {
  const table: Table = {
    key: 'x',
    title: 'Calls',
    columns: [
      { figure: 'cpu', title: 'CPU µs', digits: 1 },
      { figure: 'rss', title: 'MB', digits: 0 },
    ],
  };
  const row = (implementation: string, variant: string, cpu: readonly number[]): Row => ({
    implementation,
    variant,
    rounds: cpu.map((value) => ({ cpu: value, rss: Number.NaN })),
  });
  const rows = [
    row('signalbox', 'legacy', [10, 12, 10]),
    row('sdk', 'legacy', [25]),
    row('signalbox', 'modern', [20]),
    row('sdk', 'modern', [1500]),
  ];
  expect(formatTable(table, rows)).toBe(
    `## Calls

|                   |  CPU µs |  MB | spread | × ours |
| ----------------- | ------: | --: | -----: | -----: |
| signalbox, legacy |    10.0 |   – |   20 % |   1.00 |
| sdk, legacy       |    25.0 |   – |    0 % |   2.50 |
| signalbox, modern |    20.0 |   – |    0 % |   1.00 |
| sdk, modern       | 1,500.0 |   – |    0 % |  75.00 |
`,
  );
});
