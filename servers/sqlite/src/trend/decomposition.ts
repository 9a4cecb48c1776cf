import { fitLine, mean } from './least-squares.ts';
import type { FittedModel, TrendModel } from './model.ts';

/** A series as a straight trend and one value for each position of the season. */
export interface Decomposition {
  readonly slope: number;
  /** Returns the trend at a position, without the season. */
  readonly trend: (position: number) => number;
  /** Deviations of the season from the trend, for the positions 0 to `season` - 1; their mean is 0. */
  readonly indices: readonly number[];
}

/**
 * Splits a series of at least `season` + 1 values. The slope is the mean change over a whole season,
 * which the season itself does not affect.
 */
export function decompose(values: readonly number[], season: number): Decomposition {
  const changes = values.slice(season).map((value, index) => value - (values[index] ?? 0));
  const slope = season === 1 ? fitLine(values).slope : mean(changes) / season;
  const flat = values.map((value, index) => value - slope * index);
  const level = seasonLevel(flat, season);
  const indices = Array.from({ length: season }, (_, phase) =>
    mean(flat.filter((_value, index) => index % season === phase).map((value) => value - level)),
  );
  return { slope, trend: (position) => level + slope * position, indices };
}

/** Returns the mean of the season's means, so that an incomplete season does not shift it. */
function seasonLevel(flat: readonly number[], season: number): number {
  return mean(
    Array.from({ length: season }, (_, phase) =>
      mean(flat.filter((_value, index) => index % season === phase)),
    ),
  );
}

function fit(values: readonly number[], season: number): FittedModel {
  const { trend, indices } = decompose(values, season);
  const line = fitLine(values);
  return {
    predict: (step) => {
      const position = values.length - 1 + step;
      return trend(position) + (indices[position % season] ?? 0);
    },
    spread: (step) => line.spread(values.length - 1 + step),
  };
}

/** A straight trend plus a season. */
export const additiveModel: TrendModel = {
  name: 'decomposition',
  isSeasonal: true,
  minPoints: (season) => season + 2,
  fit,
};

/** A trend of constant growth times a season; only for values above 0. */
export const multiplicativeModel: TrendModel = {
  name: 'decomposition_multiplicative',
  isSeasonal: true,
  minPoints: (season) => season + 2,
  fit: (values, season) => {
    if (values.some((value) => value <= 0)) return undefined;
    const logs = fit(values.map(Math.log), season);
    const predict = (step: number): number => Math.exp(logs.predict(step));
    return { predict, spread: (step) => logs.spread(step) * predict(step) };
  },
};
