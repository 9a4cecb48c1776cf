import type { Stats } from '@signalbox/client';
import { formatCompact, formatCost, formatCount, formatDuration } from '../ui/format.ts';
import type { PlotValue } from './plot-scale.ts';

/** Color of a series. */
export type SeriesTone = 'good' | 'bad' | 'warn' | 'accent' | 'busy' | 'faint';

/** Values of a plot over the intervals. */
export interface Series {
  readonly name: string;
  readonly tone: SeriesTone;
  readonly values: readonly PlotValue[];
}

/** A plot of the overview. */
export interface PlotData {
  readonly id: string;
  readonly title: string;
  /** `bars` are stacked: their series are parts of a sum. */
  readonly kind: 'bars' | 'lines';
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Number for the whole time span. */
  readonly total: string | undefined;
  /** Text in place of a plot without values. */
  readonly emptyText: string;
}

type Interval = Stats['intervals'][number];

/** Returns the plots of statistics. */
export function plotsOf({ intervals, total, unpriced_runs: unpriced }: Stats): readonly PlotData[] {
  const of = (read: (interval: Interval) => PlotValue): readonly PlotValue[] => intervals.map(read);
  const percentiles = (
    id: string,
    title: string,
    emptyText: string,
    field: 'duration_ms' | 'queued_ms' | 'turn_ms' | 'call_ms',
  ): PlotData => ({
    id,
    title,
    emptyText,
    kind: 'lines',
    format: formatDuration,
    total: percentilesText(total[field]),
    series: [
      { name: 'Half are faster', tone: 'accent', values: of((each) => each[field]?.p50) },
      { name: '95% are faster', tone: 'warn', values: of((each) => each[field]?.p95) },
    ],
  });
  return [
    {
      id: 'runs',
      title: 'Runs',
      emptyText: 'No run began.',
      kind: 'bars',
      format: formatCount,
      total: formatCount(total.runs),
      series: [
        { name: 'Completed', tone: 'good', values: of(({ completed }) => completed) },
        { name: 'Failed', tone: 'bad', values: of(({ failed }) => failed) },
        { name: 'Expired', tone: 'warn', values: of(({ expired }) => expired) },
        { name: 'Cancelled', tone: 'faint', values: of(({ cancelled }) => cancelled) },
        { name: 'In progress', tone: 'busy', values: of(unsettled) },
      ],
    },
    {
      id: 'turns',
      title: 'Turns and tool calls',
      emptyText: 'No model and no tool was called.',
      kind: 'lines',
      format: formatCount,
      total: `${formatCount(total.turns)} · ${formatCount(total.tool_calls)}`,
      series: [
        { name: 'Turns', tone: 'accent', values: of(({ turns }) => turns) },
        { name: 'Tool calls', tone: 'busy', values: of(({ tool_calls: calls }) => calls) },
      ],
    },
    {
      id: 'tokens',
      title: 'Tokens',
      emptyText: 'No model was called.',
      kind: 'bars',
      format: formatCompact,
      total: formatCompact(total.input_tokens + total.output_tokens),
      series: [
        { name: 'Input', tone: 'accent', values: of(({ input_tokens: input }) => input) },
        { name: 'Output', tone: 'busy', values: of(({ output_tokens: output }) => output) },
      ],
    },
    {
      id: 'cost',
      title: 'Cost',
      emptyText:
        unpriced === 0 ? 'No model call cost anything.' : 'The prices of the models are not known.',
      kind: 'bars',
      format: formatCost,
      total: formatCost(total.cost_usd),
      series: [{ name: 'US dollars', tone: 'accent', values: of(({ cost_usd: cost }) => cost) }],
    },
    percentiles('duration', 'Duration of runs', 'No run has ended.', 'duration_ms'),
    percentiles('turn-latency', 'Latency of model calls', 'No model call has ended.', 'turn_ms'),
    percentiles('call-latency', 'Latency of tool calls', 'No tool call has ended.', 'call_ms'),
    percentiles('queued', 'Time in the queue', 'No run has begun.', 'queued_ms'),
  ];
}

/** Returns the share of settled runs that failed or expired, in percent; undefined without a settled run. */
export function failureShare({ completed, failed, expired }: Stats['total']): number | undefined {
  const judged = completed + failed + expired;
  return judged === 0 ? undefined : ((failed + expired) / judged) * 100;
}

function unsettled({ runs, completed, failed, cancelled, expired }: Interval): number {
  return Math.max(0, runs - completed - failed - cancelled - expired);
}

function percentilesText(percentiles: Stats['total']['duration_ms']): string | undefined {
  if (percentiles === undefined) return undefined;
  return `${formatDuration(percentiles.p50)} · ${formatDuration(percentiles.p95)}`;
}
