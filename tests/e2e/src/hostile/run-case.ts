import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, Json, RunView } from '../support/client.ts';
import type { HostileCase } from './cases.ts';
import type { World } from './world.ts';

/** What the service and the calm runs were like while a server or a model was hostile. */
export interface CaseReport {
  readonly name: string;
  readonly ended: string | undefined;
  readonly longestMs: number;
  readonly peakMb: number;
  /** Middle of the durations of the calm runs. */
  readonly calmMs: number;
  readonly calmRuns: number;
  /** Slowest answer of `/v1/runs`, the inbox and `/healthz`. */
  readonly slowestAnswerMs: number;
  readonly problems: readonly string[];
}

export interface Limits {
  readonly blockedMs: number;
  readonly memoryMb: number;
  readonly answerMs: number;
  /** Of a calm run. */
  readonly runMs: number;
}

/** How long a case may go on by itself before the next. */
const CASE_MS = 6000;
/** So that each case has several calm runs. */
const MIN_CASE_MS = 1000;
const SETTLED = new Set(['completed', 'failed', 'cancelled', 'expired']);

/** Runs one case and compares what was measured with the limits. */
export async function runCase(
  world: World,
  hostile: HostileCase,
  limits: Limits,
): Promise<CaseReport> {
  await world.reset();
  const stop = new AbortController();
  const calm = repeatCalmRuns(world.api, stop.signal);
  const answers = watchAnswers(world, stop.signal);
  await world.arm(hostile.name);
  const [provoked] = await Promise.all([
    provoke(world, hostile).then(() => undefined, String),
    delay(MIN_CASE_MS),
  ]);
  await world.arm('');
  if (hostile.moment !== 'model') await reconnect(world, hostile).catch(() => undefined);
  stop.abort();
  const [durations, slowestAnswerMs] = await Promise.all([calm, answers]);
  const { longestMs, peakMb } = world.measured();
  const report = {
    name: hostile.name,
    ended: world.ended(),
    longestMs,
    peakMb,
    calmMs: middle(durations),
    calmRuns: durations.length,
    slowestAnswerMs,
  };
  // A service that is gone says so in a line of its own.
  const missed =
    provoked === undefined || report.ended !== undefined
      ? []
      : [`the case did not happen: ${provoked}`];
  return { ...report, problems: [...problemsOf(report, limits), ...missed] };
}

function problemsOf(report: Omit<CaseReport, 'problems'>, limits: Limits): string[] {
  const { ended, longestMs, peakMb, calmMs, calmRuns, slowestAnswerMs } = report;
  return [
    ...(ended === undefined ? [] : [`the service ended: ${ended}`]),
    ...(longestMs > limits.blockedMs
      ? [`the event loop was blocked for ${longestMs.toFixed(0)} ms`]
      : []),
    ...(peakMb > limits.memoryMb ? [`the service took ${peakMb.toFixed(0)} MB`] : []),
    ...(calmRuns === 0 ? ['no calm run ended'] : []),
    ...(calmMs > limits.runMs
      ? [`a calm run took ${calmMs.toFixed(0)} ms of ${limits.runMs.toFixed(0)}`]
      : []),
    ...(slowestAnswerMs > limits.answerMs
      ? [`an answer took ${slowestAnswerMs.toFixed(0)} ms`]
      : []),
  ];
}

/** The durations of calm runs, one after another, until the signal; at least one. */
export async function repeatCalmRuns(
  api: ApiClient,
  signal: AbortSignal,
  atMost = Infinity,
): Promise<number[]> {
  const durations: number[] = [];
  try {
    do {
      const from = performance.now();
      const run = await api.settled((await api.start('calm')).id);
      if (run.status !== 'completed') return durations;
      durations.push(performance.now() - from);
    } while (!signal.aborted && durations.length < atMost);
  } catch {
    // The service is gone, which its own line of the report says.
  }
  return durations;
}

/** The slowest answer of the endpoints that people look at, asked ten times a second. */
async function watchAnswers({ url }: World, signal: AbortSignal): Promise<number> {
  let slowest = 0;
  try {
    while (!signal.aborted) {
      for (const path of ['/v1/runs', '/v1/inbox', '/healthz'])
        slowest = Math.max(slowest, await answerMs(url + path));
      await delay(100);
    }
  } catch {
    return Infinity;
  }
  return slowest;
}

/** Milliseconds until the whole answer was there; Infinity for an error. */
async function answerMs(url: string): Promise<number> {
  const from = performance.now();
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.ok ? performance.now() - from : Infinity;
}

async function provoke({ api }: World, { name, moment, server }: HostileCase): Promise<void> {
  const until = Date.now() + CASE_MS;
  if (moment === 'connect') {
    await api.post(`/v1/servers/${server}/reconnect`);
    while (Date.now() < until && !['ready', 'failed'].includes(await stateOf(api, server)))
      await delay(50);
    // What it does without being asked needs a moment to be seen.
    await delay(500);
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
  if (status === 'input_required') await delay(500);
  if (!SETTLED.has(status)) await api.post(`/v1/runs/${run.id}/cancel`);
}

async function reconnect({ api }: World, { server }: HostileCase): Promise<void> {
  await api.post(`/v1/servers/${server}/reconnect`);
  const until = Date.now() + CASE_MS;
  while (Date.now() < until && (await stateOf(api, server)) !== 'ready') await delay(50);
}

async function stateOf(api: ApiClient, server: string): Promise<string> {
  return String((await api.get<Json>(`/v1/servers/${server}`))['state']);
}

export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
