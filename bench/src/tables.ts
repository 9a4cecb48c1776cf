import { median, type Figures } from './figures.ts';
import { OURS, type Subject } from './implementations.ts';
import { CALLS_IN_FLIGHT, FLOOD_NOTIFICATIONS } from './load.ts';

export interface Column {
  readonly figure: string;
  readonly title: string;
  readonly digits: number;
}

export interface Table {
  readonly key: string;
  readonly title: string;
  /** The first is what implementations are compared by; less is better. */
  readonly columns: readonly [Column, ...Column[]];
}

/** What one subject gave in each round. */
export interface Row {
  readonly subject: Subject;
  readonly rounds: readonly Figures[];
}

const perCall: Table['columns'] = [
  { figure: 'cpuMicros', title: 'CPU µs per call', digits: 1 },
  { figure: 'perSecond', title: 'calls/s', digits: 0 },
];
const perList: Table['columns'] = [
  { figure: 'cpuMicros', title: 'CPU µs per list', digits: 0 },
  { figure: 'perSecond', title: 'lists/s', digits: 0 },
];

export const tables: readonly Table[] = [
  { key: 'serverSequential', title: 'Server: tools/call, one after the other', columns: perCall },
  { key: 'serverConcurrent', title: `Server: tools/call, ${String(CALLS_IN_FLIGHT)} in flight`, columns: perCall },
  { key: 'serverList', title: 'Server: tools/list, 30 tools', columns: perList },
  { key: 'clientSequential', title: 'Client: tools/call, one after the other', columns: perCall },
  { key: 'clientConcurrent', title: `Client: tools/call, ${String(CALLS_IN_FLIGHT)} in flight`, columns: perCall },
  { key: 'clientList', title: 'Client: tools/list, 30 tools', columns: perList },
  {
    key: 'flood',
    title: `Client: calls with ${String(FLOOD_NOTIFICATIONS)} progress notifications each`,
    columns: [
      { figure: 'cpuMicros', title: 'CPU µs per notification', digits: 2 },
      { figure: 'perSecond', title: 'notifications/s', digits: 0 },
      { figure: 'lostPerCall', title: 'lost per call', digits: 0 },
    ],
  },
  {
    key: 'start',
    title: 'Server: spawn to first tools/list, 30 tools',
    columns: [
      { figure: 'cpuMs', title: 'CPU ms', digits: 1 },
      { figure: 'readyMs', title: 'ready ms', digits: 0 },
      { figure: 'residentMib', title: 'idle RSS MiB', digits: 1 },
    ],
  },
];

/**
 * A Markdown table of medians. `spread` is the distance from the lowest to the highest round of the first column in per cent of its median;
 * `× ours` compares the first column with ours in the same era.
 */
export function formatTable({ title, columns }: Table, rows: readonly Row[]): string {
  const header = ['', ...columns.map((column) => column.title), 'spread', '× ours'];
  const body = rows.map((row) => [
    `${row.subject.implementation.name}, ${row.subject.era}`,
    ...columns.map(({ figure, digits }) => format(medianOf(row, figure), digits)),
    `${format(spreadOf(row, columns[0].figure), 0)} %`,
    format(medianOf(row, columns[0].figure) / oursBeside(row, rows, columns[0].figure), 2),
  ]);
  return `### ${title}\n\n${layOut([header, ...body])}\n`;
}

function medianOf({ rounds }: Row, figure: string): number {
  return median(rounds.map((figures) => figures[figure] ?? Number.NaN));
}

function spreadOf(row: Row, figure: string): number {
  const values = row.rounds.map((figures) => figures[figure] ?? Number.NaN);
  return ((Math.max(...values) - Math.min(...values)) / medianOf(row, figure)) * 100;
}

function oursBeside({ subject }: Row, rows: readonly Row[], figure: string): number {
  const ours = rows.find((row) => row.subject.implementation.name === OURS && row.subject.era === subject.era);
  return ours === undefined ? Number.NaN : medianOf(ours, figure);
}

function format(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }) : '–';
}

function layOut(lines: readonly (readonly string[])[]): string {
  const [header = []] = lines;
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0), 3));
  const cell = (text: string, column: number): string => (column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0));
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  const rule = line(widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)));
  return [line(header), rule, ...lines.slice(1).map(line)].join('\n');
}
