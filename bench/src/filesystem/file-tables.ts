import type { Results } from '../results.ts';
import type { Column, Table } from '../tables.ts';
import type { Verdict } from '../targets.ts';
import { formatNumber } from '../format.ts';

const cpu: Column = { figure: 'cpuMs', title: 'CPU ms', digits: 1 };
const answer: Column = { figure: 'answerMs', title: 'ms to the answer', digits: 1 };
const peak: Column = { figure: 'peakMb', title: 'peak RSS MB', digits: 0 };
const size: Column = { figure: 'answerKib', title: 'answer KiB', digits: 0 };

export const fileTables: readonly Table[] = [
  {
    key: 'start',
    title: 'Spawn to first tools/list',
    columns: [
      { figure: 'readyMs', title: 'ready ms', digits: 0 },
      { figure: 'residentMb', title: 'idle RSS MB', digits: 1 },
    ],
  },
  { key: 'read', title: 'read_text_file, 1 MiB at once', columns: [cpu, answer] },
  {
    key: 'search',
    title: 'search_files, one name in 150,000 entries',
    columns: [cpu, answer, peak],
  },
  { key: 'tree', title: 'directory_tree, 150,000 entries', columns: [cpu, answer, size, peak] },
  { key: 'huge', title: 'read_text_file, 600 MiB', columns: [answer, peak] },
];

const OURS = { implementation: 'signalbox', variant: 'stdio' };
const OFFICIAL = { implementation: 'official', variant: 'stdio' };

/** Compares each target with the medians. */
export function judgeFileServers(results: Results): readonly Verdict[] {
  return [
    atMost(results, {
      target: 'spawn to tools/list, ms',
      table: 'start',
      figure: 'readyMs',
      limit: 90,
    }),
    atMost(results, {
      target: 'idle memory, MB',
      table: 'start',
      figure: 'residentMb',
      limit: 55,
    }),
    timesBetter(results, {
      target: 'read of 1 MiB: CPU',
      table: 'read',
      figure: 'cpuMs',
      times: 1.5,
    }),
    timesBetter(results, {
      target: 'read of 1 MiB: time',
      table: 'read',
      figure: 'answerMs',
      times: 1.5,
    }),
    timesBetter(results, {
      target: 'search of 150,000 entries: CPU',
      table: 'search',
      figure: 'cpuMs',
      times: 5,
    }),
    timesBetter(results, {
      target: 'search of 150,000 entries: time',
      table: 'search',
      figure: 'answerMs',
      times: 5,
    }),
    timesBetter(results, {
      target: 'tree of 150,000 entries: CPU',
      table: 'tree',
      figure: 'cpuMs',
      times: 2,
    }),
    atMost(results, {
      target: 'tree of 150,000 entries, KiB',
      table: 'tree',
      figure: 'answerKib',
      limit: 1024,
    }),
    atMost(results, {
      target: 'read of 600 MiB, ms',
      table: 'huge',
      figure: 'answerMs',
      limit: 50,
    }),
    atMost(results, {
      target: 'read of 600 MiB, peak MB',
      table: 'huge',
      figure: 'peakMb',
      limit: 80,
    }),
  ];
}

interface Ratio {
  readonly target: string;
  readonly table: string;
  readonly figure: string;
  readonly times: number;
}

function timesBetter(results: Results, { target, table, figure, times }: Ratio): Verdict {
  const ratio = results.medianOf(table, OFFICIAL, figure) / results.medianOf(table, OURS, figure);
  const wanted = `≥ ${String(times)} × official`;
  return { target, wanted, measured: `${formatNumber(ratio, 1)} ×`, isMet: ratio >= times };
}

interface Limit {
  readonly target: string;
  readonly table: string;
  readonly figure: string;
  readonly limit: number;
}

function atMost(results: Results, { target, table, figure, limit }: Limit): Verdict {
  const measured = results.medianOf(table, OURS, figure);
  return {
    target,
    wanted: `≤ ${String(limit)}`,
    measured: formatNumber(measured, 1),
    isMet: measured <= limit,
  };
}
