import { formatNumber, layOut } from './format.ts';
import { FLOOR, OURS, RIVAL } from './implementations.ts';
import { CALLS_IN_FLIGHT, LONG_TEXT, type CallPhase } from './load.ts';
import type { Results } from './results.ts';
import { EMPTY_PROCESS, MANY_TOOLS, WEATHER_SERVER, WITHOUT_EVENT_STORE } from './runs.ts';

export interface Verdict {
  readonly target: string;
  readonly wanted: string;
  readonly measured: string;
  readonly isMet: boolean;
}

/** Largest ratio of a call with 102 tools to a call with two that counts as the same cost; a shared machine is noisy. */
const SAME_COST = 1.15;

/** Calls in flight of the targets that compare calls with the rival. */
const PHASES_OF_RIVAL: readonly CallPhase[] = ['sequential', 'sixteen', 'concurrent'];

/** Compares our targets with the medians. Leaves out targets without a measurement. */
export function judge(results: Results): readonly Verdict[] {
  return [
    ...callsBetter(results, { title: 'server, stdio', table: 'stdioServer', times: 3 }),
    ...timesBetter(results, {
      title: `server, stdio, ${inFlight('concurrent')}: calls/s`,
      table: 'stdioServer.concurrent',
      figure: 'perSecond',
      times: 3,
    }),
    ...floorOfStdio(results),
    ...callsBetter(results, { title: 'client, stdio', table: 'stdioClient', times: 2.5 }),
    ...callsBetter(results, { title: 'server, HTTP', table: 'httpServer', times: 4 }),
    ...atMostTimes(results, {
      title: `server, HTTP, ${inFlight('sixteen')}: CPU`,
      table: 'httpServer.sixteen',
      variants: ['stateless', 'modern'],
      times: 1.3,
    }),
    ...eventStore(results),
    ...sameCost(results),
    ...callsBetter(results, { title: 'client, HTTP', table: 'httpClient', times: 2.5 }),
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
    ...weatherStart(results),
    ...memory(results),
    ...atMost(results, {
      title: 'heap of an idle HTTP session, KiB',
      table: 'idleSession',
      figure: 'heapKib',
      limit: 2,
    }),
    ...atMost(results, {
      title: 'import, ms',
      table: 'import',
      figure: 'importMs',
      limit: 10,
      limits: { 'server and http': 8 },
    }),
  ];
}

export function formatTargets(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(({ target, wanted, measured, isMet }) => [
    target,
    wanted,
    measured,
    isMet ? 'met' : '**missed**',
  ]);
  return `## Targets\n\n${layOut([['', 'wanted', 'measured', ''], ...lines])}\n`;
}

interface Ratio {
  readonly title: string;
  readonly table: string;
  /** CPU time, of which less is better, by default; of `perSecond` more is better. */
  readonly figure?: 'perSecond';
  readonly times: number;
}

/** CPU time of a call with 1, 16 and 64 calls in flight, each against the same target. */
function callsBetter(results: Results, { title, table, times }: Ratio): Verdict[] {
  return PHASES_OF_RIVAL.flatMap((phase) =>
    timesBetter(results, {
      title: `${title}, ${inFlight(phase)}: CPU`,
      table: `${table}.${phase}`,
      times,
    }),
  );
}

/** Compares ours with the rival in each variant that both support. */
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
    return [
      {
        target: `${title}, ${variant}`,
        wanted: `≥ ${String(times)} × ${RIVAL}`,
        measured: `${formatNumber(ratio, 1)} ×`,
        isMet: ratio >= times,
      },
    ];
  });
}

interface RatioToFloor {
  readonly title: string;
  readonly table: string;
  readonly variants: readonly string[];
  /** Figure, of which less is better; default CPU time. */
  readonly figure?: string;
  /** Implementation that ours is compared with; default the floor. */
  readonly than?: string;
  readonly times: number;
}

/** Compares ours with the floor in some variants. */
function atMostTimes(
  results: Results,
  { title, table, variants, figure = 'cpuMicros', than = FLOOR, times }: RatioToFloor,
): Verdict[] {
  return variants.flatMap((variant) => {
    const ours = results.medianOf(table, { implementation: OURS, variant }, figure);
    const ratio = ours / results.medianOf(table, { implementation: than, variant }, figure);
    if (Number.isNaN(ratio)) return [];
    return [
      {
        target: `${title}, ${variant}`,
        wanted: `≤ ${String(times)} × ${than}`,
        measured: `${formatNumber(ratio, 2)} ×`,
        isMet: ratio <= times,
      },
    ];
  });
}

function floorOfStdio(results: Results): Verdict[] {
  const calls = (phase: CallPhase, variants: readonly string[], times: number): Verdict[] =>
    atMostTimes(results, {
      title: `server, stdio, ${inFlight(phase)}: CPU`,
      table: `stdioServer.${phase}`,
      variants,
      times,
    });
  return [
    ...calls('sequential', ['legacy', 'modern'], 1.3),
    ...calls('sixteen', ['modern'], 1.5),
    ...calls('crowded', ['modern'], 1.5),
    ...atMostTimes(results, {
      title: `server, stdio, ${String(LONG_TEXT / 1000)} KB, ${inFlight('sixteen')}: CPU`,
      table: 'stdioServerLong.sixteen',
      variants: ['modern'],
      times: 1.3,
    }),
    ...atMostTimes(results, {
      title: `server, stdio, ${inFlight('sixteen')}: peak memory`,
      table: 'peakMemory',
      variants: ['modern'],
      figure: 'peakMb',
      times: 1.3,
    }),
  ];
}

/** The event store is the default. */
function eventStore(results: Results): Verdict[] {
  const kinds = { [inFlight('sixteen')]: 'sixteen', progress: 'flood' };
  return Object.entries(kinds).flatMap(([kind, phase]) =>
    atMostTimes(results, {
      title: `server, HTTP with event store, ${kind}: CPU`,
      table: `eventStore.${phase}`,
      variants: ['sessions'],
      than: WITHOUT_EVENT_STORE,
      times: 1.5,
    }),
  );
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

/** The target is 70 ms where an empty Node process takes 40. */
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

/** The weather server as it is shipped, with its code in Node's compile cache. */
function weatherStart(results: Results): Verdict[] {
  const empty = { implementation: EMPTY_PROCESS, variant: 'no protocol' };
  const limit = 1.6 * results.medianOf('start', empty, 'readyMs');
  return variantsOf(results, 'start').flatMap((variant) => {
    const own = { implementation: WEATHER_SERVER, variant };
    const measured = results.medianOf('start', own, 'readyMs');
    if (Number.isNaN(measured / limit)) return [];
    return [
      {
        target: `weather server: spawn to tools/list, ${variant}`,
        wanted: `≤ ${formatNumber(limit, 1)} ms (1.6 × empty)`,
        measured: `${formatNumber(measured, 1)} ms`,
        isMet: measured <= limit,
      },
    ];
  });
}

/** The target is 52 MB where the rival has 73, bundled or not. */
function memory(results: Results): Verdict[] {
  return variantsOf(results, 'start').flatMap((variant) => {
    const ours = results.medianOf('start', { implementation: OURS, variant }, 'residentMb');
    const rival = results.medianOf(
      'start',
      { implementation: RIVAL, variant: variant.replace(', bundled', '') },
      'residentMb',
    );
    if (Number.isNaN(ours / rival)) return [];
    const limit = rival * (52 / 73);
    const wanted = `≤ ${formatNumber(limit, 1)} MB (52/73 × ${RIVAL})`;
    return [
      {
        target: `idle memory, ${variant}`,
        wanted,
        measured: `${formatNumber(ours, 1)} MB`,
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
  /** Limits of variants that have another. */
  readonly limits?: { readonly [variant: string]: number };
}

function atMost(
  results: Results,
  { title, table, figure, limit: common, limits = {} }: Limit,
): Verdict[] {
  return variantsOf(results, table).flatMap((variant) => {
    const limit = limits[variant] ?? common;
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

function inFlight(phase: CallPhase): string {
  return `${String(CALLS_IN_FLIGHT[phase])} in flight`;
}
