import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, Json, RunView } from '../support/client.ts';
import type { HostileCase } from './cases.ts';
import type { Measured, World } from './world.ts';

/** The state of the service and of the calm runs while a server or a model was hostile. */
export interface CaseReport extends Measured {
  readonly name: string;
  /** The exit code or signal of the service with the end of its stderr; undefined while it lives. */
  readonly ended: string | undefined;
  /** Median duration of the calm runs. */
  readonly calmMs: number;
  readonly calmRuns: number;
  /** Slowest answer of `/v1/runs`, the inbox and `/healthz`. */
  readonly slowestAnswerMs: number;
  /** Exceeded limits, one sentence each. */
  readonly problems: readonly string[];
}

export interface Limits {
  readonly blockedMs: number;
  readonly memoryMb: number;
  readonly answerMs: number;
  /** Median duration of a calm run. */
  readonly runMs: number;
}

export interface Pace {
  /** Longest time that a case may take until it is cancelled. */
  readonly maxCaseMs: number;
  /** Minimum milliseconds of a case: enough for several calm runs. */
  readonly minCaseMs: number;
  /** Pause between two calm runs. */
  readonly calmPauseMs: number;
  /** Pause between two looks at the endpoints that people watch. */
  readonly watchPauseMs: number;
}

export const FULL_PACE: Pace = {
  maxCaseMs: 6000,
  minCaseMs: 1000,
  calmPauseMs: 0,
  watchPauseMs: 100,
};

/** Milliseconds within which a hostile server must be ready again. */
const RECONNECT_MS = 6000;
/** Milliseconds for which a server continues after it connected or sent an input request. */
const AFTERMATH_MS = 500;
/**
 * Milliseconds to wait for the last report of the probe: longer than the interval of its reports.
 */
const LAST_REPORT_MS = 100;
const SETTLED = new Set(['completed', 'failed', 'cancelled', 'expired']);

/** Runs one case and compares the measurements with the limits. */
export async function runCase(
  world: World,
  hostile: HostileCase,
  limits: Limits,
  pace: Pace = FULL_PACE,
): Promise<CaseReport> {
  await world.reset();
  const stop = new AbortController();
  const calm = repeatCalmRuns(world.api, stop.signal, { pauseMs: pace.calmPauseMs });
  const answers = watchAnswers(world, stop.signal, pace.watchPauseMs);
  await world.arm(hostile.name);
  const [failure] = await Promise.all([
    provoke(world, hostile, pace).then(() => undefined, String),
    delay(pace.minCaseMs),
  ]);
  await world.arm('');
  if (hostile.moment !== 'model') await reconnect(world, hostile).catch(() => undefined);
  stop.abort();
  const [durations, slowestAnswerMs] = await Promise.all([calm, answers, delay(LAST_REPORT_MS)]);
  const report = {
    ...world.measured(),
    name: hostile.name,
    ended: world.ended(),
    calmMs: median(durations),
    calmRuns: durations.length,
    slowestAnswerMs,
  };
  const problems = problemsOf(report, limits);
  // The end of the service is a problem of its own, reported above.
  if (failure !== undefined && report.ended === undefined)
    problems.push(`the case did not happen: ${failure}`);
  return { ...report, problems };
}

function problemsOf(report: Omit<CaseReport, 'problems'>, limits: Limits): string[] {
  const { ended, longestMs, peakMb, calmMs, calmRuns, slowestAnswerMs } = report;
  return [
    ...(ended === undefined ? [] : [`the service ended: ${ended}`]),
    ...(longestMs > limits.blockedMs
      ? [`the event loop was blocked for ${longestMs.toFixed(0)} ms`]
      : []),
    ...(peakMb > limits.memoryMb ? [`the service took ${peakMb.toFixed(0)} MB`] : []),
    ...(calmRuns === 0 ? ['no calm run completed'] : []),
    ...(calmMs > limits.runMs
      ? [`a calm run took ${calmMs.toFixed(0)} ms of ${limits.runMs.toFixed(0)}`]
      : []),
    ...(slowestAnswerMs > limits.answerMs
      ? [`an answer took ${slowestAnswerMs.toFixed(0)} ms`]
      : []),
  ];
}

/** Runs calm runs one after another until the signal aborts, at least one and at most `count`. Returns their durations in milliseconds. */
export async function repeatCalmRuns(
  api: ApiClient,
  signal: AbortSignal,
  { count = Infinity, pauseMs = 0 }: { readonly count?: number; readonly pauseMs?: number } = {},
): Promise<number[]> {
  const durations: number[] = [];
  try {
    do {
      const from = performance.now();
      const run = await api.settled((await api.start('calm')).id);
      if (run.status !== 'completed') return durations;
      durations.push(performance.now() - from);
      if (pauseMs > 0) await delay(pauseMs);
    } while (!signal.aborted && durations.length < count);
  } catch {
    // The service is gone, which the report says.
  }
  return durations;
}

/** Requests the endpoints that people watch again and again. Returns the slowest answer in milliseconds. */
async function watchAnswers({ url }: World, signal: AbortSignal, pauseMs: number): Promise<number> {
  let slowest = 0;
  try {
    while (!signal.aborted) {
      for (const path of ['/v1/runs', '/v1/inbox', '/healthz'])
        slowest = Math.max(slowest, await answerMs(url + path));
      await delay(pauseMs);
    }
  } catch {
    return Infinity;
  }
  return slowest;
}

/** Returns the milliseconds until the whole answer arrived; Infinity for an error. */
async function answerMs(url: string): Promise<number> {
  const from = performance.now();
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.ok ? performance.now() - from : Infinity;
}

/** Starts the connection, call or run of the case, and waits until it ends or `maxCaseMs` have passed. */
async function provoke(
  { api }: World,
  { name, moment, server }: HostileCase,
  { maxCaseMs }: Pace,
): Promise<void> {
  const until = Date.now() + maxCaseMs;
  if (moment === 'connect') {
    await api.post(`/v1/servers/${server}/reconnect`);
    while (Date.now() < until && !['ready', 'failed'].includes(await stateOf(api, server)))
      await delay(50);
    await delay(AFTERMATH_MS);
    return;
  }
  const run: RunView =
    moment === 'model'
      ? await api.start(name)
      : await api.post(`/v1/tools/${server}__go/call`, { arguments: {} });
  let { status } = run;
  while (Date.now() < until && !SETTLED.has(status) && status !== 'input_required') {
    await delay(50);
    ({ status } = await api.run(run.id));
  }
  if (status === 'input_required') await delay(AFTERMATH_MS);
  if (!SETTLED.has(status)) await api.post(`/v1/runs/${run.id}/cancel`);
}

async function reconnect({ api }: World, { server }: HostileCase): Promise<void> {
  await api.post(`/v1/servers/${server}/reconnect`);
  const until = Date.now() + RECONNECT_MS;
  while (Date.now() < until && (await stateOf(api, server)) !== 'ready') await delay(50);
}

async function stateOf(api: ApiClient, server: string): Promise<string> {
  return String((await api.get<Json>(`/v1/servers/${server}`))['state']);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
