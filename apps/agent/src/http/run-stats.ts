import type * as z from 'zod';
import type { Latency, LatencyOptions, RunFigures } from '../ports/store/stats.ts';
import type { Stats, StatsInterval } from './stats-response-schemas.ts';

type StatsBody = z.output<typeof Stats>;
type Totals = StatsBody['total'];
type ModelTotals = StatsBody['models'][number];

/** Time span of statistics, in milliseconds. */
export interface StatsSpan {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly intervalMs: number;
}

/** Times from which everything is counted, if older entries are left out. */
export interface StatsGaps {
  readonly countedFrom?: number | undefined;
  readonly latenciesFrom?: number | undefined;
}

/** Models and error codes that are returned. */
const MAX_NAMED = 20;

/** Counts runs by the interval in which they were created, and durations of calls by that in which they began. */
export class RunStats {
  readonly #span: StatsSpan;
  readonly #intervals: readonly Counter[];
  readonly #total = new Counter();
  readonly #models = new Map<string, ModelTotals>();
  readonly #errors = new Map<string, number>();
  #unpricedRuns = 0;

  constructor(span: StatsSpan) {
    this.#span = span;
    const length = Math.ceil((span.to - span.from) / span.intervalMs);
    this.#intervals = Array.from({ length }, () => new Counter());
  }

  add(run: RunFigures): void {
    this.#total.add(run);
    this.#at(run.createdAt)?.add(run);
    if (run.error !== undefined)
      this.#errors.set(run.error.code, (this.#errors.get(run.error.code) ?? 0) + 1);
    this.#addModel(run);
  }

  addLatency(of: LatencyOptions['of'], latency: Latency): void {
    this.#total.addLatency(of, latency);
    this.#at(latency.startedAt)?.addLatency(of, latency);
  }

  /**
   * Returns the statistics. `countedFrom`: creation time of the oldest counted run, if older runs are
   * left out. `latenciesFrom`: time from which all calls are measured, if older calls are left out.
   */
  body({ countedFrom, latenciesFrom }: StatsGaps = {}): StatsBody {
    const { from, to, intervalMs } = this.#span;
    return {
      from: iso(from),
      to: iso(to),
      interval: intervalMs / 1000,
      intervals: this.#intervals.map((counter, index): z.output<typeof StatsInterval> => ({
        at: iso(from + index * intervalMs),
        ...counter.totals(),
      })),
      total: this.#total.totals(),
      unpriced_runs: this.#unpricedRuns,
      models: [...this.#models.values()]
        .toSorted((a, b) => tokensOf(b) - tokensOf(a) || b.runs - a.runs)
        .slice(0, MAX_NAMED),
      errors: [...this.#errors]
        .map(([code, runs]) => ({ code, runs }))
        .toSorted((a, b) => b.runs - a.runs || a.code.localeCompare(b.code))
        .slice(0, MAX_NAMED),
      ...(countedFrom === undefined ? {} : { counted_from: iso(countedFrom) }),
      ...(latenciesFrom === undefined ? {} : { latencies_from: iso(latenciesFrom) }),
    };
  }

  #at(time: number): Counter | undefined {
    return this.#intervals[Math.floor((time - this.#span.from) / this.#span.intervalMs)];
  }

  #addModel({ kind, provider, model, usage }: RunFigures): void {
    // The model of a call without a model is the default, which it does not use.
    if (kind === 'call') return;
    const name = `${provider}/${model}`;
    const known = this.#models.get(name) ?? {
      model: name,
      runs: 0,
      input_tokens: 0,
      output_tokens: 0,
      cost_usd: 0,
    };
    if (usage !== undefined && usage.costUsd === undefined) this.#unpricedRuns += 1;
    this.#models.set(name, {
      ...known,
      runs: known.runs + 1,
      input_tokens: known.input_tokens + (usage?.input ?? 0),
      output_tokens: known.output_tokens + (usage?.output ?? 0),
      cost_usd: known.cost_usd + (usage?.costUsd ?? 0),
    });
  }
}

/** Sums and durations of some runs. */
class Counter {
  readonly #queued = new Durations();
  readonly #durations = new Durations();
  readonly #latencies = { turns: new Durations(), 'tool calls': new Durations() };
  readonly #sums = {
    runs: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    expired: 0,
    turns: 0,
    tool_calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
  };

  add({ status, turns, toolCalls, usage, ...times }: RunFigures): void {
    const sums = this.#sums;
    sums.runs += 1;
    if (isCounted(status)) sums[status] += 1;
    sums.turns += turns;
    sums.tool_calls += toolCalls;
    sums.input_tokens += usage?.input ?? 0;
    sums.output_tokens += usage?.output ?? 0;
    sums.cost_usd += usage?.costUsd ?? 0;
    const { createdAt, startedAt, finishedAt, waitedMs } = times;
    if (startedAt === undefined) return;
    this.#queued.add(startedAt - createdAt);
    if (finishedAt !== undefined) this.#durations.add(finishedAt - startedAt - waitedMs);
  }

  addLatency(of: LatencyOptions['of'], { startedAt, endedAt }: Latency): void {
    this.#latencies[of].add(endedAt - startedAt);
  }

  totals(): Totals {
    const queued = this.#queued.percentiles();
    const duration = this.#durations.percentiles();
    const turn = this.#latencies.turns.percentiles();
    const call = this.#latencies['tool calls'].percentiles();
    return {
      ...this.#sums,
      ...(queued === undefined ? {} : { queued_ms: queued }),
      ...(duration === undefined ? {} : { duration_ms: duration }),
      ...(turn === undefined ? {} : { turn_ms: turn }),
      ...(call === undefined ? {} : { call_ms: call }),
    };
  }
}

function isCounted(
  status: RunFigures['status'],
): status is 'completed' | 'failed' | 'cancelled' | 'expired' {
  return ['completed', 'failed', 'cancelled', 'expired'].includes(status);
}

/** Durations in milliseconds, counted by their value: many are the same. */
class Durations {
  readonly #counts = new Map<number, number>();
  #length = 0;

  /** Adds a duration; a negative duration, of a clock that was set back, as 0. */
  add(ms: number): void {
    const value = Math.max(0, ms);
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    this.#length += 1;
  }

  /** Returns nearest-rank percentiles. Undefined without a duration. */
  percentiles(): { p50: number; p95: number } | undefined {
    if (this.#length === 0) return undefined;
    const values = Float64Array.from(this.#counts.keys()).toSorted();
    return { p50: this.#at(values, 0.5), p95: this.#at(values, 0.95) };
  }

  #at(values: Float64Array, share: number): number {
    let rest = Math.ceil(share * this.#length);
    return values.find((value) => (rest -= this.#counts.get(value) ?? 0) <= 0) ?? 0;
  }
}

function tokensOf({ input_tokens: input, output_tokens: output }: ModelTotals): number {
  return input + output;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
