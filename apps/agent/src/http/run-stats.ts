import type * as z from 'zod';
import type { RunFigures } from '../ports/store/stats.ts';
import type { Stats, StatsInterval } from './stats-schemas.ts';

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

/** Models and error codes that are returned. */
const MAX_NAMED = 20;

/** Counts runs by the interval in which they were created. */
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
    this.#intervals[Math.floor((run.createdAt - this.#span.from) / this.#span.intervalMs)]?.add(
      run,
    );
    if (run.error !== undefined)
      this.#errors.set(run.error.code, (this.#errors.get(run.error.code) ?? 0) + 1);
    this.#addModel(run);
  }

  /** Returns the statistics; `countedFrom`: creation time of the oldest counted run, if older ones are left out. */
  body(countedFrom?: number): StatsBody {
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
    };
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
  readonly #queuedMs: number[] = [];
  readonly #durationsMs: number[] = [];
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
    this.#queuedMs.push(Math.max(0, startedAt - createdAt));
    if (finishedAt !== undefined)
      this.#durationsMs.push(Math.max(0, finishedAt - startedAt - waitedMs));
  }

  totals(): Totals {
    const queued = percentilesOf(this.#queuedMs);
    const duration = percentilesOf(this.#durationsMs);
    return {
      ...this.#sums,
      ...(queued === undefined ? {} : { queued_ms: queued }),
      ...(duration === undefined ? {} : { duration_ms: duration }),
    };
  }
}

function isCounted(
  status: RunFigures['status'],
): status is 'completed' | 'failed' | 'cancelled' | 'expired' {
  return ['completed', 'failed', 'cancelled', 'expired'].includes(status);
}

/** Nearest-rank percentiles. */
function percentilesOf(values: readonly number[]): { p50: number; p95: number } | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (share: number): number | undefined => sorted[Math.ceil(share * sorted.length) - 1];
  const [p50, p95] = [rank(0.5), rank(0.95)];
  return p50 === undefined || p95 === undefined ? undefined : { p50, p95 };
}

function tokensOf({ input_tokens: input, output_tokens: output }: ModelTotals): number {
  return input + output;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
