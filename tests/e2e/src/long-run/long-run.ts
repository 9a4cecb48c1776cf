import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApiClient, type EventView, type Json, type RunView } from '../support/client.ts';
import { temporaryFolder } from '../support/service.ts';
import { Evidence } from './evidence.ts';
import { Fleet, type Disruption, type Guard } from './fleet.ts';
import { problemsOf, type CallResult, type RunResult } from './problems-of.ts';
import { readRun, type Received } from './reader.ts';
import { seeded, type Seeded } from './seeded.ts';
import { writeWork, type Work } from './work.ts';

export interface LongRunOptions extends Omit<Work, 'random'> {
  readonly runs: number;
  readonly seed: number;
  /** Runs at the same time. */
  readonly parallel: number;
  /**
   * Disruptions of the processes: at random until all runs have ended; or one worker that is frozen
   * during its calls until its lease is over.
   */
  readonly disruptions: 'random' | 'freeze';
  /** Guard that is switched off. Default: none. */
  readonly guardOff?: Guard | undefined;
  /** Milliseconds after which the test fails. */
  readonly limitMs: number;
  readonly onProgress?: (text: string) => void;
}

export interface LongRunResult {
  /** Differences from what is promised; empty when the test passed. */
  readonly problems: readonly string[];
  readonly disruptions: ReadonlyMap<Disruption, number>;
  readonly durationMs: number;
  /** Events that the readers received, and streams that they opened. */
  readonly events: number;
  readonly streams: number;
  /** Model calls that were interrupted and repeated. */
  readonly interruptedTurns: number;
  /** Calls whose outcome was unknown, by the response of the test. */
  readonly responses: { readonly [action: string]: number };
  /** Messages of errors in the logs, with their number. */
  readonly errors: ReadonlyMap<string, number>;
}

const effectServer = fileURLToPath(new URL('effect-server.ts', import.meta.url));
/** Milliseconds within which nothing is left of a process: its lease, a sweep, and the end of its servers. */
const LEFTOVERS_MS = 20_000;
const LAST_EVENTS = new Set(['run.completed', 'run.failed', 'run.cancelled', 'run.expired']);

/** Takes runs through an API process and two workers that are disrupted, and compares everything with what is promised. */
export async function longRun(options: LongRunOptions): Promise<LongRunResult> {
  const folder = await temporaryFolder();
  const test = new LongRun(folder.path, options);
  try {
    return await test.run();
  } finally {
    await test.stop();
    await folder.remove();
  }
}

class LongRun {
  readonly #folder: string;
  readonly #options: LongRunOptions;
  readonly #random: Seeded;
  readonly #limit = new AbortController();
  readonly #responses = new Map<string, string[]>();
  readonly #fleet: Fleet;
  readonly #evidence: Evidence;

  constructor(folder: string, options: LongRunOptions) {
    this.#folder = folder;
    this.#evidence = new Evidence(folder);
    this.#options = options;
    this.#random = seeded(options.seed);
    this.#fleet = new Fleet({
      folder,
      workers: 2,
      guardOff: options.guardOff,
      config: {
        log_level: 'warn',
        llm: { provider: 'scripted', scenario: join(folder, 'scenario.json') },
        mcpServers: {
          effects: {
            command: 'node',
            args: [effectServer],
            env: { EFFECTS: join(folder, 'effects'), SERVERS: join(folder, 'servers') },
            signalbox: { trust: true, approval: 'auto' },
          },
        },
      },
    });
  }

  async run(): Promise<LongRunResult> {
    const { runs, limitMs, disruptions } = this.#options;
    await writeWork(this.#folder, { ...this.#options, random: this.#random });
    await this.#fleet.start();
    const begun = performance.now();
    const limit = setTimeout(() => this.#limit.abort(), limitMs);
    const ended = new AbortController();
    const disrupted =
      disruptions === 'random'
        ? this.#fleet.disrupt(this.#random.fork(), ended.signal)
        : this.#freezeOne();
    const followed: Followed[] = [];
    try {
      const names = Array.from({ length: runs }, (_, index) => `r${index + 1}`);
      const work = async (): Promise<void> => {
        for (let name = names.shift(); name !== undefined; name = names.shift()) {
          if (this.#limit.signal.aborted) return;
          const run = await this.#follow(name, this.#random.fork()).catch((error: unknown) => {
            if (!this.#limit.signal.aborted) throw error;
          });
          if (run === undefined) return;
          followed.push(run);
          this.#options.onProgress?.(`${followed.length} of ${runs} runs have ended`);
        }
      };
      await Promise.all(Array.from({ length: this.#options.parallel }, work));
    } finally {
      clearTimeout(limit);
      ended.abort();
      await disrupted;
    }
    const durationMs = performance.now() - begun;
    const results = await Promise.all(followed.map((each) => this.#resultOf(each)));
    const problems = [
      ...(this.#limit.signal.aborted ? [`the test did not end within ${limitMs} ms`] : []),
      ...results.flatMap((result) => problemsOf(result, this.#options.turns)),
      ...(await this.#leftovers()),
    ];
    const readers = results.flatMap((result) => result.readers);
    const responses = results.flatMap(({ calls }) => calls.flatMap((call) => call.responses));
    return {
      problems,
      disruptions: this.#fleet.disruptions,
      durationMs,
      events: sum(readers.map(({ seqs }) => seqs.length)),
      streams: sum(readers.map(({ connections }) => connections)),
      interruptedTurns: results
        .flatMap(({ events }) => events)
        .filter(({ type }) => type === 'turn.interrupted').length,
      responses: Object.fromEntries(countOf(responses)),
      errors: countOf(
        [...this.#fleet.log().matchAll(/ (?:ERROR|error) +(.*)/g)].map(([, text]) =>
          (text ?? '').slice(0, 160),
        ),
      ),
    };
  }

  async stop(): Promise<void> {
    this.#limit.abort();
    await this.#fleet.stop();
  }

  /** Freezes a worker between the effect and the result of a write, until the other worker has ended it. */
  async #freezeOne(): Promise<void> {
    let pid: number | undefined;
    while ((pid = this.#evidence.lastWriter()) === undefined) {
      if (this.#limit.signal.aborted) return;
      await wait(5);
    }
    const isEnded = (): boolean =>
      this.#evidence.workers().every((row) => row.pid !== pid || row.endedAt !== null);
    await this.#fleet.freezeUntil(pid, () => isEnded() || this.#limit.signal.aborted);
  }

  /** Starts a run and follows it with three readers until they have its last event. */
  async #follow(name: string, random: Seeded): Promise<Followed> {
    const { id } = await this.#post<RunView>('/v1/runs', `run ${name}`, { prompt: `work ${name}` });
    const url = (): string => this.#fleet.url;
    const { signal } = this.#limit;
    const turnOf = new Map<string, number>();
    const lateAt = random.between(1, 8 * this.#options.turns);
    const restless = readRun({
      name: 'restless',
      runId: id,
      url,
      signal,
      eventsPerConnection: () => random.between(1, 25),
    });
    const late = Promise.withResolvers<void>();
    const answers: Promise<void>[] = [];
    const steady = readRun({
      name: 'steady',
      runId: id,
      url,
      signal,
      onEvent: (event) => {
        if (event.seq >= lateAt || LAST_EVENTS.has(event.type)) late.resolve();
        const { call_id: callId, arguments: args } = event.data;
        if (event.type === 'tool_call.planned')
          turnOf.set(String(callId), Number((args as Json)['turn']));
        if (event.type === 'inbox.opened')
          answers.push(this.#answer(event, `${name} ${turnOf.get(String(callId))}`));
      },
    }).finally(() => late.resolve());
    const readers = [
      steady,
      restless,
      late.promise.then(() => readRun({ name: 'late', runId: id, url, signal })),
    ];
    const received = await Promise.all(readers);
    await Promise.all(answers);
    return { name, id, readers: received };
  }

  /** Decides about a call whose outcome is unknown: looks whether it took effect. */
  async #answer({ data }: EventView, key: string): Promise<void> {
    const action = this.#evidence.effectsOf(key) === 0 ? 'retry' : 'mark_done';
    this.#responses.set(key, [...(this.#responses.get(key) ?? []), action]);
    const item = String(data['inbox_item_id']);
    await this.#post(`/v1/inbox/${item}/respond`, `answer ${item}`, { action });
  }

  /** Sends a request until an API process responds, under one idempotency key. */
  async #post<T>(path: string, key: string, body: object): Promise<T> {
    for (;;) {
      this.#limit.signal.throwIfAborted();
      try {
        const response = await fetch(`${this.#fleet.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify(body),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
        return JSON.parse(text) as T;
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        await wait(100);
      }
    }
  }

  async #resultOf({ name, id, readers }: Followed): Promise<RunResult> {
    const api = new ApiClient(this.#fleet.url);
    const run = await api.run(id);
    const { data: calls } = await api.get<{ data: readonly CallView[] }>(
      `/v1/runs/${id}/tool-calls?limit=200`,
    );
    return {
      name,
      status: run.status,
      answer: run.answer,
      lastSeq: run.last_seq,
      openItems: run.inbox.map((item) => item.id),
      events: await this.#eventsOf(api, id),
      calls: calls.map((call): CallResult => {
        const key = `${name} ${call.arguments.turn}`;
        return {
          id: call.id,
          state: call.state,
          attempt: call.attempt,
          turn: call.arguments.turn,
          tool: call.name,
          isRepeatable: !call.name.endsWith('append'),
          effects: this.#evidence.effectsOf(key),
          responses: this.#responses.get(key) ?? [],
        };
      }),
      messages: this.#evidence.messages(id),
      readers,
    };
  }

  async #eventsOf(api: ApiClient, id: string): Promise<readonly EventView[]> {
    const events: EventView[] = [];
    for (;;) {
      const { data } = await api.get<{ data: readonly EventView[] }>(
        `/v1/runs/${id}/events?limit=1000&after=${events.length}`,
      );
      events.push(...data);
      if (data.length < 1000) return events;
    }
  }

  /** Returns what is left of processes that ended, first while the others run, then of all. */
  async #leftovers(): Promise<readonly string[]> {
    const workers = (): string[] => {
      const live = new Set(this.#fleet.pids);
      const rows = this.#evidence.workers();
      return [
        ...rows
          .filter(({ pid, endedAt }) => !live.has(pid) || endedAt !== null)
          .map(({ pid }) => `the worker of process ${pid}, which ended, has a row`),
        ...[...live]
          .filter((pid) => !rows.some((row) => row.pid === pid))
          .map((pid) => `the worker of process ${pid}, which runs, has no row`),
      ];
    };
    const servers = (allowed: number) => (): string[] => {
      const alive = this.#evidence.aliveServers();
      return alive.length === allowed
        ? []
        : [`${alive.length} server processes are alive, not ${allowed}`];
    };
    const whileRunning = [
      ...(await soon(workers)),
      ...(await soon(servers(this.#fleet.pids.length - 1))),
    ];
    await this.#fleet.stop();
    return [...whileRunning, ...(await soon(servers(0)))];
  }
}

interface Followed {
  readonly name: string;
  readonly id: string;
  readonly readers: readonly Received[];
}

interface CallView {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly attempt: number;
  readonly arguments: { readonly turn: number };
}

/** Returns the problems as soon as there are none, or those that remain. */
async function soon(problems: () => readonly string[]): Promise<readonly string[]> {
  for (const until = performance.now() + LEFTOVERS_MS; performance.now() < until; await wait(200))
    if (problems().length === 0) return [];
  return problems();
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function countOf(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
