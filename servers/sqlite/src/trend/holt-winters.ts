import { decompose } from './decomposition.ts';
import type { FittedModel, TrendModel } from './model.ts';

interface Smoothing {
  /** Weight of the latest value in the level. */
  readonly alpha: number;
  /** Weight of the latest change in the trend. */
  readonly beta: number;
  /** Weight of the latest deviation in the season. */
  readonly gamma: number;
}

interface State {
  readonly level: number;
  readonly trend: number;
  readonly indices: readonly number[];
  /** Sum of the squared errors of predictions one step ahead. */
  readonly squares: number;
}

const WEIGHTS: readonly Smoothing[] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].flatMap(
  (alpha) =>
    [0, 0.05, 0.1, 0.3].flatMap((beta) =>
      [0, 0.1, 0.3, 0.6].map((gamma) => ({ alpha, beta, gamma })),
    ),
);

/** Exponential smoothing of level and trend. */
export const holtModel: TrendModel = {
  name: 'holt',
  isSeasonal: false,
  minPoints: () => 4,
  fit: (values) => fitSmoothing(values, 1),
};

/** Exponential smoothing of level, trend and season. */
export const holtWintersModel: TrendModel = {
  name: 'holt_winters',
  isSeasonal: true,
  minPoints: (season) => 2 * season,
  fit: fitSmoothing,
};

/** Fits additive exponential smoothing by trying every combination of weights. */
function fitSmoothing(values: readonly number[], season: number): FittedModel {
  const start = decompose(values, season);
  const tried = (season === 1 ? WEIGHTS.filter(({ gamma }) => gamma === 0) : WEIGHTS).map(
    (weights) => ({ weights, ...smooth(values, start, weights) }),
  );
  const { weights, level, trend, indices } = tried.reduce((best, each) =>
    each.squares < best.squares ? each : best,
  );
  return {
    predict: (step) => level + step * trend + (indices[(values.length - 1 + step) % season] ?? 0),
    spread: (step) => Math.sqrt(1 + accumulatedVariance(weights, season, step)),
  };
}

function smooth(
  values: readonly number[],
  start: ReturnType<typeof decompose>,
  { alpha, beta, gamma }: Smoothing,
): State {
  let level = start.trend(-1);
  let trend = start.slope;
  let squares = 0;
  const indices = [...start.indices];
  values.forEach((value, position) => {
    const phase = position % indices.length;
    const index = indices[phase] ?? 0;
    const error = value - (level + trend + index);
    squares += error * error;
    level += trend + alpha * error;
    trend += alpha * beta * error;
    indices[phase] = index + gamma * (1 - alpha) * error;
  });
  return { level, trend, indices, squares };
}

/**
 * Returns the variance that the steps before `step` add.
 * @see https://otexts.com/fpp3/ets-forecasting.html
 */
function accumulatedVariance(
  { alpha, beta, gamma }: Smoothing,
  season: number,
  step: number,
): number {
  let sum = 0;
  for (let lag = 1; lag < step; lag += 1) {
    const seasonal = season > 1 && lag % season === 0 ? gamma * (1 - alpha) : 0;
    sum += (alpha * (1 + lag * beta) + seasonal) ** 2;
  }
  return sum;
}
