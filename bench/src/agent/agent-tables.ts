import { formatNumber, layOut } from '../format.ts';
import { median } from '../figures.ts';
import type { Results } from '../results.ts';
import type { Verdict } from '../targets.ts';

interface FigureLine {
  readonly figure: string;
  readonly title: string;
  readonly digits: number;
}

export interface AgentTable {
  readonly key: string;
  readonly title: string;
  readonly lines: readonly FigureLine[];
}

/** The only implementation that is measured. */
export const SUBJECT = { implementation: 'agent', variant: 'SQLite' };

/** Measured with the code of 2026-11-22 (commit ab44c1b); `bench/README.md` says how. */
const TURNS_PER_SECOND_BEFORE = 180;

const crowdLines: readonly FigureLine[] = [
  { figure: 'seconds', title: 'seconds', digits: 1 },
  { figure: 'turnsPerSecond', title: 'turns/s', digits: 0 },
  { figure: 'cpuMs', title: 'CPU ms of a turn', digits: 2 },
  { figure: 'completed', title: 'runs completed', digits: 0 },
  { figure: 'lost', title: 'events lost, twice or out of order', digits: 0 },
  { figure: 'peakMb', title: 'peak RSS MB', digits: 0 },
];

export const agentTables: readonly AgentTable[] = [
  {
    key: 'turns',
    title: 'A turn with one tool call, one run after the other',
    lines: [
      { figure: 'overheadMs', title: 'overhead, ms: the turn without the call', digits: 2 },
      { figure: 'turnMs', title: 'turn, p50, ms', digits: 2 },
      { figure: 'p95Ms', title: 'turn, p95, ms', digits: 2 },
      { figure: 'bareMs', title: 'the call alone, p50, ms', digits: 3 },
      { figure: 'cpuMs', title: 'CPU ms of the service', digits: 2 },
    ],
  },
  {
    key: 'crowd',
    title: '200 runs of 10 turns at once, each followed by a reader',
    lines: crowdLines,
  },
  {
    key: 'largeCrowd',
    title: '500 runs of 10 turns at once, each followed by a reader',
    lines: crowdLines,
  },
  {
    key: 'sharedCrowd',
    title: 'The same with an API process and a worker process',
    lines: crowdLines,
  },
  {
    key: 'subscribers',
    title: '1,000 readers of one run, every tenth of which does not read before the end',
    lines: [
      { figure: 'events', title: 'events of the run', digits: 0 },
      { figure: 'seconds', title: 'seconds until the others had all', digits: 1 },
      { figure: 'lost', title: 'events lost, twice or out of order', digits: 0 },
      { figure: 'beforeMb', title: 'RSS MB before', digits: 0 },
      { figure: 'openMb', title: 'RSS MB with all streams open', digits: 0 },
      { figure: 'peakMb', title: 'peak RSS MB', digits: 0 },
      { figure: 'afterMb', title: 'RSS MB when all have left', digits: 0 },
      { figure: 'grownMb', title: 'growth to the peak, MB', digits: 0 },
      {
        figure: 'longerEvents',
        title: 'events of the longer run, with a heap of 128 MB',
        digits: 0,
      },
      { figure: 'longerMb', title: 'growth to the peak with it, MB', digits: 0 },
    ],
  },
  {
    key: 'resume',
    title: 'From Last-Event-ID 0 to the 10,000th event of a run',
    lines: [
      { figure: 'afterRestartMs', title: 'first request after a restart, ms', digits: 0 },
      { figure: 'resumeMs', title: 'ms', digits: 0 },
    ],
  },
  {
    key: 'startUp',
    title: 'Start with the three reference servers',
    lines: [
      { figure: 'readyMs', title: 'spawn to ready, ms', digits: 0 },
      { figure: 'connectedMs', title: 'spawn until all servers are connected, ms', digits: 0 },
      { figure: 'serviceMb', title: 'RSS MB when idle, without the servers', digits: 1 },
      { figure: 'helperMb', title: 'RSS MB of the helper that outlives a kill', digits: 1 },
      { figure: 'idleMb', title: 'RSS MB of both', digits: 1 },
    ],
  },
  {
    key: 'recovery',
    title: 'kill -9 in the middle of 50 runs of 20 turns with 2 calls, and a new start',
    lines: [
      { figure: 'inFlight', title: 'runs in flight when it was killed', digits: 0 },
      { figure: 'readyMs', title: 'spawn to ready, ms', digits: 0 },
      {
        figure: 'firstSeconds',
        title: 'seconds until each of them had taken up its work',
        digits: 1,
      },
      { figure: 'allSeconds', title: 'seconds until all had ended', digits: 1 },
      { figure: 'completed', title: 'runs completed', digits: 0 },
      { figure: 'lost', title: 'events lost, twice or out of order', digits: 0 },
    ],
  },
];

/** Returns a Markdown table with the median, the lowest and the highest of the rounds. */
export function formatAgentTable({ key, title, lines }: AgentTable, results: Results): string {
  const rounds = results.rowsOf(key).flatMap((row) => row.rounds);
  const body = lines.map(({ figure, title: name, digits }) => {
    const values = rounds.map((figures) => figures[figure] ?? Number.NaN);
    return [
      name,
      ...[median(values), Math.min(...values), Math.max(...values)].map((value) =>
        formatNumber(value, digits),
      ),
    ];
  });
  return `## ${title}\n\n${layOut([['', 'median', 'lowest', 'highest'], ...body])}\n`;
}

/** Compares each target with the median, or with every round where something was lost. */
export function judgeAgent(results: Results): readonly Verdict[] {
  return [
    atMost(results, {
      target: 'overhead of a turn, p50, ms',
      table: 'turns',
      figure: 'overheadMs',
      limit: 2,
    }),
    atMost(results, {
      target: 'CPU of a turn, one run after the other, ms',
      table: 'turns',
      figure: 'cpuMs',
      limit: 4,
    }),
    atMost(results, {
      target: 'CPU of a turn, 200 runs at once, ms',
      table: 'crowd',
      figure: 'cpuMs',
      limit: 3,
    }),
    exactly(results, {
      target: '200 runs at once: completed',
      table: 'crowd',
      figure: 'completed',
      limit: 200,
    }),
    exactly(results, {
      target: '200 runs at once: events lost',
      table: 'crowd',
      figure: 'lost',
      limit: 0,
    }),
    ...[
      { table: 'largeCrowd', name: '500 runs at once' },
      { table: 'sharedCrowd', name: '500 runs at once, two processes' },
    ].flatMap(({ table, name }) => [
      atLeast(results, {
        target: `${name}: turns/s, three times those of 2026-11-22`,
        table,
        figure: 'turnsPerSecond',
        limit: 3 * TURNS_PER_SECOND_BEFORE,
      }),
      exactly(results, {
        target: `${name}: completed`,
        table,
        figure: 'completed',
        limit: 500,
      }),
      exactly(results, { target: `${name}: events lost`, table, figure: 'lost', limit: 0 }),
    ]),
    exactly(results, {
      target: '1,000 readers: events lost',
      table: 'subscribers',
      figure: 'lost',
      limit: 0,
    }),
    atMost(results, {
      target: '1,000 readers: growth, MB (40 MiB)',
      table: 'subscribers',
      figure: 'grownMb',
      limit: 41.9,
    }),
    atMost(results, {
      target: '1,000 readers of a longer run, small heap: growth, MB',
      table: 'subscribers',
      figure: 'longerMb',
      limit: 128,
    }),
    atMost(results, {
      target: '10,000 events, ms',
      table: 'resume',
      figure: 'resumeMs',
      limit: 200,
    }),
    atMost(results, {
      target: '10,000 events after a restart, ms',
      table: 'resume',
      figure: 'afterRestartMs',
      limit: 200,
    }),
    atMost(results, { target: 'listening, ms', table: 'startUp', figure: 'readyMs', limit: 250 }),
    atMost(results, {
      target: 'idle memory with the helper, MB',
      table: 'startUp',
      figure: 'idleMb',
      limit: 100,
    }),
    atMost(results, {
      target: 'recovery after kill -9, s',
      table: 'recovery',
      figure: 'firstSeconds',
      limit: 10,
    }),
    exactly(results, {
      target: 'recovery: runs completed',
      table: 'recovery',
      figure: 'completed',
      limit: 50,
    }),
    exactly(results, {
      target: 'recovery: events lost',
      table: 'recovery',
      figure: 'lost',
      limit: 0,
    }),
  ];
}

interface Limit {
  readonly target: string;
  readonly table: string;
  readonly figure: string;
  readonly limit: number;
}

function atMost(results: Results, { target, table, figure, limit }: Limit): Verdict {
  const measured = results.medianOf(table, SUBJECT, figure);
  return {
    target,
    wanted: `≤ ${String(limit)}`,
    measured: formatNumber(measured, 1),
    isMet: measured <= limit,
  };
}

function atLeast(results: Results, { target, table, figure, limit }: Limit): Verdict {
  const measured = results.medianOf(table, SUBJECT, figure);
  return {
    target,
    wanted: `≥ ${formatNumber(limit, 0)}`,
    measured: formatNumber(measured, 0),
    isMet: measured >= limit,
  };
}

/** Met only if every round has the value. */
function exactly(results: Results, { target, table, figure, limit }: Limit): Verdict {
  const values = results
    .rowsOf(table)
    .flatMap(({ rounds }) => rounds.map((figures) => figures[figure]));
  const wrong = values.find((value) => value !== limit);
  return {
    target,
    wanted: String(limit),
    measured: values.length === 0 ? '–' : String(wrong ?? limit),
    isMet: wrong === undefined,
  };
}
