import { formatNumber, layOut } from './format.ts';
import { OURS } from './implementations.ts';
import { CALLS_IN_FLIGHT, FLOOD_NOTIFICATIONS, LONG_TEXT, type CallPhase } from './load.ts';
import { SESSION_TOOLS } from './measure-sessions.ts';
import { medianOf, type Row } from './results.ts';
import { MANY_TOOLS } from './runs.ts';

export interface Column {
  readonly figure: string;
  readonly title: string;
  readonly digits: number;
}

export interface Table {
  readonly key: string;
  readonly title: string;
  /** A condition that a reader must know to compare the rows. */
  readonly note?: string | undefined;
  /** Implementations are compared by the first column; less is better. */
  readonly columns: readonly [Column, ...Column[]];
}

const perCall: Table['columns'] = [
  { figure: 'cpuMicros', title: 'CPU µs per call', digits: 1 },
  { figure: 'perSecond', title: 'calls/s', digits: 0 },
];
const perList: Table['columns'] = [
  { figure: 'cpuMicros', title: 'CPU µs per list', digits: 0 },
  { figure: 'perSecond', title: 'lists/s', digits: 0 },
];
const perNotification: Table['columns'] = [
  { figure: 'cpuMicros', title: 'CPU µs per notification', digits: 2 },
  { figure: 'perSecond', title: 'notifications/s', digits: 0 },
  { figure: 'lostPerCall', title: 'lost per call', digits: 0 },
];

const LIST_NOTE =
  'Signalbox sends the text of the list that it stored when the tools were registered; the floor and the SDK serialize the list for each request.';
const PROGRESS_NOTE =
  'Signalbox runs with `settings: { limits: { progressIntervalMs: 0 } }` here. By default a server of Signalbox sends at most 10 progress notifications a second for a call and drops those in between.';

export const tables: readonly Table[] = [
  ...callTables('stdioServer', 'Server, stdio', 30),
  {
    key: 'stdioServerLong.sixteen',
    title: `Server, stdio: tools/call of ${String(LONG_TEXT / 1000)} KB, ${inFlight('sixteen')}`,
    columns: perCall,
  },
  {
    key: 'peakMemory',
    title: `Server, stdio: memory, ${inFlight('sixteen')}`,
    columns: [
      { figure: 'peakMb', title: 'peak RSS MB', digits: 1 },
      { figure: 'residentMb', title: 'RSS MB after the calls', digits: 1 },
    ],
  },
  ...callTables('stdioClient', 'Client, stdio', 30),
  ...callTables('httpServer', 'Server, HTTP', 2),
  {
    key: 'httpServerManyTools.concurrent',
    title: `Server, HTTP: tools/call, ${inFlight('concurrent')}, ${String(MANY_TOOLS)} tools`,
    columns: perCall,
  },
  {
    key: 'eventStore.sixteen',
    title: `Server, HTTP: tools/call, ${inFlight('sixteen')}, with and without the event store`,
    columns: perCall,
  },
  {
    key: 'eventStore.flood',
    title: `Server, HTTP: calls with ${String(FLOOD_NOTIFICATIONS)} progress notifications each, with and without the event store`,
    columns: perNotification,
  },
  ...callTables('httpClient', 'Client, HTTP', 30),
  {
    key: 'idleSession',
    title: `Server, HTTP: an idle session, ${String(SESSION_TOOLS)} tools`,
    columns: [
      { figure: 'heapKib', title: 'heap KiB', digits: 2 },
      { figure: 'openMicros', title: 'CPU µs to open', digits: 0 },
    ],
  },
  {
    key: 'start',
    title: 'Server, stdio: spawn to first tools/list, 30 tools',
    columns: [
      { figure: 'cpuMs', title: 'CPU ms', digits: 1 },
      { figure: 'readyMs', title: 'ready ms', digits: 0 },
      { figure: 'residentMb', title: 'idle RSS MB', digits: 1 },
    ],
  },
  {
    key: 'import',
    title: 'Import of an entry point',
    columns: [
      { figure: 'importCpuMs', title: 'CPU ms', digits: 1 },
      { figure: 'importMs', title: 'ms', digits: 1 },
    ],
  },
];

/**
 * A Markdown table of medians. `spread` is the distance from the lowest to the highest round of the first column in per cent of its median;
 * `× ours` compares the first column with ours in the same variant.
 */
export function formatTable({ title, note, columns }: Table, rows: readonly Row[]): string {
  const header = ['', ...columns.map((column) => column.title), 'spread', '× ours'];
  const body = rows.map((row) => [
    `${row.implementation}, ${row.variant}`,
    ...columns.map(({ figure, digits }) => formatNumber(medianOf(row, figure), digits)),
    `${formatNumber(spreadOf(row, columns[0].figure), 0)} %`,
    formatNumber(medianOf(row, columns[0].figure) / oursBeside(row, rows, columns[0].figure), 2),
  ]);
  const below = note === undefined ? '' : `\n${note}\n`;
  return `## ${title}\n\n${layOut([header, ...body])}\n${below}`;
}

function callTables(key: string, side: string, tools: number): readonly Table[] {
  const isServer = side.startsWith('Server');
  const phases = Object.keys(CALLS_IN_FLIGHT) as readonly CallPhase[];
  return [
    ...phases.map((phase): Table => ({
      key: `${key}.${phase}`,
      title: `${side}: tools/call, ${inFlight(phase)}`,
      columns: perCall,
    })),
    {
      key: `${key}.list`,
      title: `${side}: tools/list, ${String(tools)} tools`,
      note: isServer ? LIST_NOTE : undefined,
      columns: perList,
    },
    {
      key: `${key}.flood`,
      title: `${side}: calls with ${String(FLOOD_NOTIFICATIONS)} progress notifications each`,
      note: isServer ? PROGRESS_NOTE : undefined,
      columns: perNotification,
    },
  ];
}

function inFlight(phase: CallPhase): string {
  return `${String(CALLS_IN_FLIGHT[phase])} in flight`;
}

function spreadOf(row: Row, figure: string): number {
  const values = row.rounds.map((figures) => figures[figure] ?? Number.NaN);
  return ((Math.max(...values) - Math.min(...values)) / medianOf(row, figure)) * 100;
}

function oursBeside({ variant }: Row, rows: readonly Row[], figure: string): number {
  const ours = rows.find((row) => row.implementation === OURS && row.variant === variant);
  return ours === undefined ? Number.NaN : medianOf(ours, figure);
}
