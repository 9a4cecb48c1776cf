import type { Burst } from './disruptor.ts';
import type { FaultKind } from './faults.ts';
import { refusedCall, unaskedOutcomes, type RunResult } from './problems-of.ts';
import type { Received } from './reader.ts';

/** Parts of messages in which messages of one kind differ. */
const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
const PORT = /(?<=127\.0\.0\.1:)\d+/g;
const MAX_ERROR_CHARACTERS = 250;

/** Counts of a test. Its JSON is the report of the command. */
export interface ChaosReport {
  /** Differences from what is promised; empty when the test passed. */
  readonly problems: readonly string[];
  readonly durationMs: number;
  /** Number of runs by status. */
  readonly runs: { readonly [status: string]: number };
  readonly calls: {
    readonly total: number;
    /** Effects that the servers counted. */
    readonly effects: number;
    /** Calls with several effects of which one is promised. */
    readonly twice: number;
    /** Calls with several effects that are read-only or idempotent, which the service may repeat. */
    readonly repeated: number;
    /** Calls that were refused, visibly for the model, because their server was being started again. */
    readonly refused: number;
  };
  readonly unknown: {
    /** How often the outcome of a call became unknown, and a person was asked about it. */
    readonly total: number;
    readonly asked: number;
    /** Responses of the test. */
    readonly responses: { readonly [action: string]: number };
  };
  /** Events that the readers of each kind received. */
  readonly readers: { readonly [name: string]: ReaderCounts };
  /** Model calls that were interrupted and repeated. */
  readonly interruptedTurns: number;
  /** Faults of each kind, and the slowest recovery in milliseconds of the bursts with such a fault. */
  readonly faults: {
    readonly [K in FaultKind]?: { readonly count: number; readonly slowestMs: number };
  };
  /** Workers that were started with a clock that is a minute off. */
  readonly skewedStarts: number;
  readonly slowestRecoveryMs: number;
  /** Recoveries of more than 10 seconds that are no problem, because the machine was slow. */
  readonly lateOnSlowMachine: number;
  /** Messages of errors in the logs, with their number. */
  readonly errors: { readonly [text: string]: number };
}

interface ReaderCounts {
  readonly streams: number;
  readonly events: number;
  readonly lost: number;
  /** Events that came again, or after a later one. */
  readonly reordered: number;
}

/** Counts the results of a test. */
export function reportOf({
  results,
  bursts,
  log,
  ...rest
}: Pick<ChaosReport, 'problems' | 'durationMs' | 'skewedStarts'> & {
  readonly results: readonly RunResult[];
  readonly bursts: readonly Burst[];
  readonly log: string;
}): ChaosReport {
  const calls = results.flatMap((result) => result.calls);
  const several = calls.filter(({ effects }) => effects > 1);
  const types = results.flatMap(({ events }) => events.map(({ type }) => type));
  const unknown = types.filter((type) => type === 'tool_call.outcome_unknown').length;
  const unasked = results.flatMap(({ events }) => unaskedOutcomes(events)).length;
  const readers = Map.groupBy(
    results.flatMap((result) =>
      result.readers.map((reader) => ({ reader, lastSeq: result.lastSeq })),
    ),
    ({ reader }) => reader.name,
  );
  return {
    ...rest,
    runs: countsOf(results.map(({ status }) => status)),
    calls: {
      total: calls.length,
      effects: sum(calls.map(({ effects }) => effects)),
      twice: several.filter(({ isRepeatable }) => !isRepeatable).length,
      repeated: several.filter(({ isRepeatable }) => isRepeatable).length,
      refused: results.filter((result) => refusedCall(result) !== undefined).length,
    },
    unknown: {
      total: unknown,
      asked: unknown - unasked,
      responses: countsOf(calls.flatMap(({ responses }) => responses)),
    },
    readers: Object.fromEntries(
      [...readers].map(([name, received]) => [name, readerCountsOf(received)]),
    ),
    interruptedTurns: types.filter((type) => type === 'turn.interrupted').length,
    faults: faultsOf(bursts),
    slowestRecoveryMs: Math.max(0, ...bursts.map(({ recoveryMs }) => Math.round(recoveryMs))),
    lateOnSlowMachine: bursts.filter(
      ({ slowness, problems }) => slowness > 1 && problems.length === 0,
    ).length,
    errors: countsOf(
      [...log.matchAll(/ (?:ERROR|error) +(.*)/g)].map(([, text = '']) =>
        text.replaceAll(ID, '…').replaceAll(PORT, '…').slice(0, MAX_ERROR_CHARACTERS),
      ),
    ),
  };
}

/** Returns a table of a report, for people. */
export function tableOf(report: ChaosReport): string {
  const { calls, unknown, readers, faults } = report;
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const rows: readonly (readonly [string, string])[] = [
    ['duration', seconds(report.durationMs)],
    ['runs', listOf(report.runs)],
    [
      'calls',
      `${calls.total} with ${calls.effects} effects; ${calls.twice} writes twice; ${calls.repeated} reads and idempotent calls repeated; ${calls.refused} refused while their server was started again`,
    ],
    [
      'unknown outcomes',
      `${unknown.total}, asked about ${unknown.asked}; responses: ${listOf(unknown.responses)}`,
    ],
    ...Object.entries(readers).map(
      ([name, { streams, events, lost, reordered }]): readonly [string, string] => [
        `${name} readers`,
        `${events} events over ${streams} streams; ${lost} lost, ${reordered} reordered or again`,
      ],
    ),
    ['interrupted model calls', String(report.interruptedTurns)],
    ['workers with a clock a minute off', String(report.skewedStarts)],
    ...Object.entries(faults).map(([kind, { count, slowestMs }]): readonly [string, string] => [
      kind,
      `${count}, slowest recovery ${seconds(slowestMs)}`,
    ]),
    ['slowest recovery', seconds(report.slowestRecoveryMs)],
    ['recoveries over 10 s on a slow machine', String(report.lateOnSlowMachine)],
    ...Object.entries(report.errors).map(([text, count]): readonly [string, string] => [
      'log',
      `${count} × ${text}`,
    ]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join('');
}

function readerCountsOf(
  received: readonly { readonly reader: Received; readonly lastSeq: number }[],
): ReaderCounts {
  return {
    streams: sum(received.map(({ reader }) => reader.connections)),
    events: sum(received.map(({ reader }) => reader.seqs.length)),
    lost: sum(received.map(({ reader, lastSeq }) => lastSeq - new Set(reader.seqs).size)),
    reordered: sum(
      received.map(
        ({ reader: { seqs } }) => seqs.filter((seq, index) => seq <= (seqs[index - 1] ?? 0)).length,
      ),
    ),
  };
}

function faultsOf(bursts: readonly Burst[]): ChaosReport['faults'] {
  const faults: { [K in FaultKind]?: { count: number; slowestMs: number } } = {};
  for (const { kinds, recoveryMs } of bursts)
    for (const kind of kinds) {
      const { count, slowestMs } = faults[kind] ?? { count: 0, slowestMs: 0 };
      faults[kind] = { count: count + 1, slowestMs: Math.max(slowestMs, Math.round(recoveryMs)) };
    }
  return faults;
}

function listOf(counts: { readonly [name: string]: number }): string {
  return (
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ') || 'none'
  );
}

function countsOf(values: readonly string[]): { readonly [value: string]: number } {
  const counts: { [value: string]: number } = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
