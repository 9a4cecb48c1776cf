import { formatNumber } from '../format.ts';
import type { Results } from '../results.ts';
import type { Column, Table } from '../tables.ts';
import type { Verdict } from '../targets.ts';

const cpu: Column = { figure: 'cpuMs', title: 'CPU ms', digits: 2 };

export const sqliteTables: readonly Table[] = [
  {
    key: 'read',
    title: 'A read of 1,000 rows, one at a time',
    columns: [
      cpu,
      { figure: 'laterCpuMs', title: 'CPU ms later', digits: 2 },
      { figure: 'answerMs', title: 'ms to the answer', digits: 2 },
      { figure: 'answerKib', title: 'answer KiB', digits: 0 },
    ],
  },
  {
    key: 'small',
    title: 'A read of one row, 16 in flight',
    columns: [
      { figure: 'cpuMs', title: 'CPU ms', digits: 3 },
      { figure: 'perSecond', title: 'reads/s', digits: 0 },
    ],
  },
  {
    key: 'import',
    title: 'Import of 100,000 CSV rows',
    columns: [
      { figure: 'cpuMs', title: 'CPU ms', digits: 0 },
      { figure: 'rowsPerSecond', title: 'rows/s', digits: 0 },
    ],
  },
  {
    key: 'runaway',
    title: 'Reads of one row beside a query that never ends',
    columns: [
      { figure: 'delayMs', title: 'longest delay ms', digits: 1 },
      { figure: 'calmMs', title: 'ms without it', digits: 2 },
      { figure: 'reads', title: 'reads', digits: 0 },
    ],
  },
];

export const STDIO = 'stdio';
export const BARE = { implementation: 'better-sqlite3', variant: 'alone' };
const SIGNALBOX = { implementation: 'signalbox', variant: STDIO };

/** Compares each target with the medians. */
export function judgeSqliteServers(results: Results): readonly Verdict[] {
  const ours = (table: string, figure: string): number =>
    results.medianOf(table, SIGNALBOX, figure);
  const ratio = ours('read', 'cpuMs') / results.medianOf('read', BARE, 'cpuMs');
  return [
    {
      target: 'read of 1,000 rows: CPU',
      wanted: '≤ 2.5 × better-sqlite3 and JSON',
      measured: `${formatNumber(ratio, 2)} ×`,
      isMet: ratio <= 2.5,
    },
    atLeast('reads of one row, 16 in flight, per second', 5000, ours('small', 'perSecond')),
    atLeast('import, rows per second', 50_000, ours('import', 'rowsPerSecond')),
    {
      target: 'delay by a runaway query, ms',
      wanted: '≤ 50',
      measured: formatNumber(ours('runaway', 'delayMs'), 1),
      isMet: ours('runaway', 'delayMs') <= 50,
    },
  ];
}

function atLeast(target: string, limit: number, measured: number): Verdict {
  return {
    target,
    wanted: `≥ ${String(limit)}`,
    measured: formatNumber(measured, 0),
    isMet: measured >= limit,
  };
}
