import { formatNumber, layOut } from './format.ts';
import { OURS, RIVAL } from './implementations.ts';
import { CALLS_IN_FLIGHT } from './load.ts';
import type { Results } from './results.ts';
import { EMPTY_PROCESS, MANY_TOOLS } from './runs.ts';

export interface Verdict {
  readonly target: string;
  readonly wanted: string;
  readonly measured: string;
  readonly isMet: boolean;
}

/** How much of the cost with two tools a call may cost with 102 to count as independent of their number; the rest is the noise of a shared machine. */
const SAME_COST = 1.15;

/** What we set out to reach, beside what was measured. Targets of which nothing was measured are left out. */
export function judge(results: Results): readonly Verdict[] {
  const busy = `${String(CALLS_IN_FLIGHT)} in flight`;
  return [
    ...timesBetter(results, {
      title: `server, stdio, ${busy}: CPU`,
      table: 'stdioServer.concurrent',
      times: 3,
    }),
    ...timesBetter(results, {
      title: `server, stdio, ${busy}: calls/s`,
      table: 'stdioServer.concurrent',
      figure: 'perSecond',
      times: 3,
    }),
    ...timesBetter(results, {
      title: 'server, stdio, 1 in flight: CPU',
      table: 'stdioServer.sequential',
    }),
    ...timesBetter(results, {
      title: `client, stdio, ${busy}: CPU`,
      table: 'stdioClient.concurrent',
      times: 2.5,
    }),
    ...timesBetter(results, {
      title: 'client, stdio, 1 in flight: CPU',
      table: 'stdioClient.sequential',
    }),
    ...timesBetter(results, {
      title: `server, HTTP, ${busy}: CPU`,
      table: 'httpServer.concurrent',
      times: 4,
    }),
    ...timesBetter(results, {
      title: 'server, HTTP, 1 in flight: CPU',
      table: 'httpServer.sequential',
    }),
    ...sameCost(results),
    ...timesBetter(results, {
      title: `client, HTTP, ${busy}: CPU`,
      table: 'httpClient.concurrent',
      times: 2.5,
    }),
    ...timesBetter(results, {
      title: 'client, HTTP, 1 in flight: CPU',
      table: 'httpClient.sequential',
    }),
    ...floods(results, 'progress, server, stdio', 'stdioServer.flood'),
    ...floods(results, 'progress, client, stdio', 'stdioClient.flood'),
    ...floods(results, 'progress, server, HTTP', 'httpServer.flood'),
    ...floods(results, 'progress, client, HTTP', 'httpClient.flood'),
    ...timesBetter(results, {
      title: 'tools/list, server, stdio: CPU',
      table: 'stdioServer.list',
      times: 8,
    }),
    ...starts(results),
    ...memory(results),
    ...atMost(results, {
      title: 'heap of an idle HTTP session, KiB',
      table: 'idleSession',
      figure: 'heapKib',
      limit: 2,
    }),
    ...atMost(results, { title: 'import, ms', table: 'import', figure: 'importMs', limit: 10 }),
  ];
}

export function formatTargets(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(({ target, wanted, measured, isMet }) => [
    target,
    wanted,
    measured,
    wanted === '' ? '' : isMet ? 'met' : '**missed**',
  ]);
  return `## Targets\n\n${layOut([['', 'wanted', 'measured', ''], ...lines])}\n`;
}

interface Ratio {
  readonly title: string;
  readonly table: string;
  /** CPU time, of which less is better, where nothing is given; of `perSecond` more is. */
  readonly figure?: 'perSecond';
  /** None for what is only shown. */
  readonly times?: number;
}

/** Ours against the rival, in each variant that both speak. */
function timesBetter(results: Results, { title, table, figure, times }: Ratio): Verdict[] {
  return variantsOf(results, table).flatMap((variant) => {
    const ours = results.medianOf(table, { implementation: OURS, variant }, figure ?? 'cpuMicros');
    const rival = results.medianOf(
      table,
      { implementation: RIVAL, variant },
      figure ?? 'cpuMicros',
    );
    const ratio = figure === undefined ? rival / ours : ours / rival;
    if (Number.isNaN(ratio)) return [];
    const wanted = times === undefined ? '' : `≥ ${String(times)} × ${RIVAL}`;
    return [
      {
        target: `${title}, ${variant}`,
        wanted,
        measured: `${formatNumber(ratio, 1)} ×`,
        isMet: times === undefined || ratio >= times,
      },
    ];
  });
}

function sameCost(results: Results): Verdict[] {
  return variantsOf(results, 'httpServerManyTools.concurrent').flatMap((variant) => {
    const ours = { implementation: OURS, variant };
    const many = results.medianOf('httpServerManyTools.concurrent', ours, 'cpuMicros');
    const ratio = many / results.medianOf('httpServer.concurrent', ours, 'cpuMicros');
    if (Number.isNaN(ratio)) return [];
    const wanted = `≤ ${String(SAME_COST)} × with 2`;
    return [
      {
        target: `server, HTTP, ${String(MANY_TOOLS)} tools: CPU, ${variant}`,
        wanted,
        measured: `${formatNumber(ratio, 2)} ×`,
        isMet: ratio <= SAME_COST,
      },
    ];
  });
}

function floods(results: Results, title: string, table: string): Verdict[] {
  const lost = variantsOf(results, table).flatMap((variant) => {
    const perCall = results.medianOf(table, { implementation: OURS, variant }, 'lostPerCall');
    if (Number.isNaN(perCall)) return [];
    return [
      {
        target: `${title}: lost, ${variant}`,
        wanted: '0',
        measured: formatNumber(perCall, 0),
        isMet: perCall === 0,
      },
    ];
  });
  return [...timesBetter(results, { title: `${title}: CPU`, table, times: 4 }), ...lost];
}

/** 70 ms where an empty Node process takes 40. */
function starts(results: Results): Verdict[] {
  const empty = results.medianOf(
    'start',
    { implementation: EMPTY_PROCESS, variant: 'no protocol' },
    'readyMs',
  );
  return variantsOf(results, 'start').flatMap((variant) => {
    const ours = results.medianOf('start', { implementation: OURS, variant }, 'readyMs');
    if (Number.isNaN(ours / empty)) return [];
    const limit = empty * (70 / 40);
    const wanted = `≤ ${formatNumber(limit, 0)} ms (1.75 × empty)`;
    return [
      {
        target: `spawn to tools/list, ${variant}`,
        wanted,
        measured: `${formatNumber(ours, 0)} ms`,
        isMet: ours <= limit,
      },
    ];
  });
}

/** 52 MB where the rival has 73, bundled or not. */
function memory(results: Results): Verdict[] {
  return variantsOf(results, 'start').flatMap((variant) => {
    const ours = results.medianOf('start', { implementation: OURS, variant }, 'residentMib');
    const rival = results.medianOf(
      'start',
      { implementation: RIVAL, variant: variant.replace(', bundled', '') },
      'residentMib',
    );
    if (Number.isNaN(ours / rival)) return [];
    const limit = rival * (52 / 73);
    const wanted = `≤ ${formatNumber(limit, 1)} MiB (52/73 × ${RIVAL})`;
    return [
      {
        target: `idle memory, ${variant}`,
        wanted,
        measured: `${formatNumber(ours, 1)} MiB`,
        isMet: ours <= limit,
      },
    ];
  });
}

interface Limit {
  readonly title: string;
  readonly table: string;
  readonly figure: string;
  readonly limit: number;
}

function atMost(results: Results, { title, table, figure, limit }: Limit): Verdict[] {
  return variantsOf(results, table).flatMap((variant) => {
    const ours = results.medianOf(table, { implementation: OURS, variant }, figure);
    if (Number.isNaN(ours)) return [];
    return [
      {
        target: `${title}, ${variant}`,
        wanted: `≤ ${String(limit)}`,
        measured: formatNumber(ours, 1),
        isMet: ours <= limit,
      },
    ];
  });
}

function variantsOf(results: Results, table: string): readonly string[] {
  return [...new Set(results.rowsOf(table).map(({ variant }) => variant))];
}
