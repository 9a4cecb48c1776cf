import type { Stats } from '@signalbox/client';
import { expect, test } from 'vitest';
import { failureShare, plotsOf } from './plots.ts';

const COUNTS = {
  runs: 5,
  completed: 2,
  failed: 1,
  cancelled: 1,
  expired: 0,
  turns: 9,
  tool_calls: 4,
  input_tokens: 100,
  output_tokens: 50,
  cost_usd: 0.5,
};
const STATS: Stats = {
  from: '2026-11-28T09:00:00.000Z',
  to: '2026-11-28T09:02:00.000Z',
  interval: 60,
  intervals: [
    {
      at: '2026-11-28T09:00:00.000Z',
      ...COUNTS,
      duration_ms: { p50: 1000, p95: 3000 },
      turn_ms: { p50: 800, p95: 2000 },
      call_ms: { p50: 20, p95: 900 },
    },
    {
      at: '2026-11-28T09:01:00.000Z',
      ...Object.fromEntries(Object.keys(COUNTS).map((name) => [name, 0])),
    } as Stats['intervals'][number],
  ],
  total: COUNTS,
  unpriced_runs: 0,
  models: [],
  errors: [],
};

const valuesOf = (id: string) =>
  Object.fromEntries(
    plotsOf(STATS)
      .find((plot) => plot.id === id)
      ?.series.map(({ name, values }) => [name, values]) ?? [],
  );

test('the runs of an interval add up, those in progress included', () => {
  expect(valuesOf('runs')).toEqual({
    Completed: [2, 0],
    Failed: [1, 0],
    Expired: [0, 0],
    Cancelled: [1, 0],
    'In progress': [1, 0],
  });
});

test('an interval without a measured run has no duration', () => {
  expect(valuesOf('duration')).toEqual({
    'Half are faster': [1000, undefined],
    '95% are faster': [3000, undefined],
  });
});

test('the latencies of model calls and of tool calls have a plot each', () => {
  expect(valuesOf('turn-latency')).toEqual({
    'Half are faster': [800, undefined],
    '95% are faster': [2000, undefined],
  });
  expect(valuesOf('call-latency')).toEqual({
    'Half are faster': [20, undefined],
    '95% are faster': [900, undefined],
  });
});

test('every plot has a value for each interval', () => {
  for (const { series } of plotsOf(STATS))
    for (const { values } of series) expect(values).toHaveLength(STATS.intervals.length);
});

test('cancelled runs and runs in progress are no failures', () => {
  expect(failureShare(COUNTS)).toBeCloseTo(100 / 3);
  expect(failureShare({ ...COUNTS, completed: 0, failed: 0 })).toBeUndefined();
});
