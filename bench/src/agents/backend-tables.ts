import { median } from '../figures.ts';
import { formatNumber, layOut } from '../format.ts';
import { medianOf, type Measured, type Results, type Row } from '../results.ts';
import type { Verdict } from '../targets.ts';
import type { Backend } from './backend.ts';

export const TURN_TABLE = 'turns';
export const KILL_TABLE = 'kill';

/** Columns of the table, with the CPU time of a turn in ms that Signalbox may take. */
const COLUMNS = [
  { figure: 'sequenceMs', title: 'one after the other', limit: 4 },
  { figure: 'crowdMs', title: 'at once', limit: 3 },
] as const;

export function measuredOf({ name, storage }: Backend): Measured {
  return { implementation: name, variant: storage };
}

/** Returns a Markdown table of the CPU time of a turn, with the lowest and highest round, and of the runs that survive a kill. */
export function formatBackends(results: Results): string {
  const kills = results.rowsOf(KILL_TABLE);
  const lines = results.rowsOf(TURN_TABLE).map((row) => {
    const kill = kills.find(({ implementation }) => implementation === row.implementation);
    return [
      row.implementation,
      row.variant,
      ...COLUMNS.flatMap(({ figure }) => [
        formatNumber(medianOf(row, figure), 2),
        rangeOf(row, figure),
      ]),
      kill === undefined
        ? '–'
        : `${formatNumber(medianOf(kill, 'finished'), 0)} of ${formatNumber(medianOf(kill, 'killed'), 0)}`,
    ];
  });
  return layOut([
    [
      'backend',
      'storage',
      ...COLUMNS.flatMap(({ title }) => [title, 'lowest–highest']),
      'killed runs that ended',
    ],
    ...lines,
  ]);
}

function rangeOf({ rounds }: Row, figure: string): string {
  const values = rounds.map((figures) => figures[figure] ?? Number.NaN);
  return `${formatNumber(Math.min(...values), 2)}–${formatNumber(Math.max(...values), 2)}`;
}

/** Compares `ours` with the limits, and with every other backend that stores its runs. */
export function judgeBackends(results: Results, ours: string): readonly Verdict[] {
  const rows = results.rowsOf(TURN_TABLE);
  const our = rows.find(({ implementation }) => implementation === ours);
  if (our === undefined) return [];
  const costs = COLUMNS.flatMap(({ figure, title, limit }) => {
    const measured = medianOf(our, figure);
    const rivals = rows
      .filter((row) => row !== our && row.variant !== 'none')
      .map((row) => ({ name: row.implementation, cost: medianOf(row, figure) }))
      .toSorted((a, b) => a.cost - b.cost);
    const [cheapest] = rivals;
    const limits = [
      { target: `CPU of a turn, ${title}, ms`, limit },
      ...(cheapest === undefined
        ? []
        : [
            {
              target: `CPU of a turn, ${title}, ms: at most that of ${cheapest.name}`,
              limit: cheapest.cost,
            },
          ]),
    ];
    return limits.map(({ target, limit: most }) => ({
      target,
      wanted: `≤ ${formatNumber(most, 1)}`,
      measured: formatNumber(measured, 2),
      isMet: measured <= most,
    }));
  });
  return [...costs, ...survived(results, ours)];
}

function survived(results: Results, ours: string): readonly Verdict[] {
  const row = results.rowsOf(KILL_TABLE).find(({ implementation }) => implementation === ours);
  if (row === undefined) return [];
  const lost = row.rounds.map(({ killed = 0, finished = Number.NaN }) => killed - finished);
  return [
    {
      target: 'killed runs that did not end',
      wanted: '0',
      measured: formatNumber(median(lost), 0),
      isMet: lost.every((each) => each === 0),
    },
  ];
}
