import { ToolError } from '@signalbox/mcp-core';
import { backtest, type Backtest } from './backtest.ts';
import { additiveModel, multiplicativeModel } from './decomposition.ts';
import { holtModel, holtWintersModel } from './holt-winters.ts';
import type { TrendModel } from './model.ts';
import { normalQuantile } from './normal-quantile.ts';
import { findSeason } from './season-length.ts';
import { linearModel, meanModel, naiveModel, seasonalNaiveModel } from './simple-models.ts';
import type { TimeSeries } from './time-series.ts';

/** The models, the simplest first: of two with the same error the first is used. */
const MODELS: readonly TrendModel[] = [
  meanModel,
  naiveModel,
  linearModel,
  seasonalNaiveModel,
  additiveModel,
  multiplicativeModel,
  holtModel,
  holtWintersModel,
];
export const METHOD_NAMES: readonly string[] = MODELS.map((model) => model.name);

export interface TrendOptions {
  /** Steps to predict. */
  readonly horizon: number;
  /** Share of actual values that the intervals are to contain, above 0 and below 1. */
  readonly confidenceLevel: number;
  /** Length of the season in steps, 1 for none; default: found in the values. */
  readonly seasonLength?: number | undefined;
  /** Names of the models to choose from; default: all. */
  readonly methods?: readonly string[] | undefined;
  /** Whether negative predictions become 0; default false. */
  readonly nonNegative?: boolean | undefined;
}

export interface Prediction {
  readonly time: string | number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface Trend {
  readonly method: string;
  readonly seasonLength: number;
  readonly error: {
    readonly mae: number;
    readonly rmse: number;
    readonly mape: number | null;
    readonly folds: number;
    readonly steps: number;
    /** Share of the backtest's values inside their intervals. */
    readonly coverage: number;
  };
  readonly candidates: readonly { readonly method: string; readonly rmse: number }[];
  readonly forecast: readonly Prediction[];
}

const MIN_POINTS = 6;
const MAX_FOLDS = 8;
/** Errors this close, in relation to the spread of the values, are equal. */
const EQUAL = 1e-9;
/** Digits of the spread of the values that predictions have. */
const SPREAD_DIGITS = 8;
/** Decimal digits that determine a double. */
const MAX_DIGITS = 17;

/**
 * Predicts a series with the model that predicted its last values best from those before them.
 * Deterministic.
 * @throws ToolError for too few values, also for the given season or methods
 */
export function predictTrend({ values, scale, filled }: TimeSeries, options: TrendOptions): Trend {
  if (values.length < MIN_POINTS)
    throw new ToolError(
      `The series has ${values.length} points; a trend needs at least ${MIN_POINTS}.`,
    );
  if (values.length - filled < MIN_POINTS)
    throw new ToolError(
      `Only ${values.length - filled} of the ${values.length} points have a value; a trend needs at least ${MIN_POINTS}.`,
    );
  const season = options.seasonLength ?? findSeason(values, scale.calendarSeason);
  const plan = planBacktest(values.length, season, options);
  const tested = plan.models.flatMap((model) => {
    const result = backtest(model, values, { ...plan, season });
    return result !== undefined && Number.isFinite(result.rmse) ? [{ model, result }] : [];
  });
  const size = Math.max(...values.map(Math.abs));
  const spread = Math.max(...values) - Math.min(...values);
  // The second term covers the rounding errors of the computation.
  const tolerance = spread * EQUAL + size * 16 * Number.EPSILON;
  const best = tested.reduce<(typeof tested)[number] | undefined>(
    (least, each) =>
      least === undefined || each.result.rmse < least.result.rmse - tolerance ? each : least,
    undefined,
  );
  const fitted = best?.model.fit(values, season);
  if (best === undefined || fitted === undefined)
    throw new ToolError(
      'None of the methods can describe these values; decomposition_multiplicative needs values above 0.',
    );
  const reach = normalQuantile((1 + options.confidenceLevel) / 2);
  const digits = digitsOf(size, spread);
  const limited = (value: number): number =>
    round(options.nonNegative === true ? Math.max(0, value) : value, digits);
  return {
    method: best.model.name,
    seasonLength: best.model.isSeasonal ? season : 1,
    error: describeError(best.result, plan.steps, reach),
    candidates: tested
      .map(({ model, result }) => ({ method: model.name, rmse: round(result.rmse) }))
      .toSorted((left, right) => left.rmse - right.rmse),
    forecast: Array.from({ length: options.horizon }, (_, index) => {
      const value = fitted.predict(index + 1);
      const half = reach * best.result.sigma * fitted.spread(index + 1);
      return {
        time: scale.timeAt(values.length + index),
        value: limited(value),
        low: limited(value - half),
        high: limited(value + half),
      };
    }),
  };
}

interface BacktestPlan {
  readonly models: readonly TrendModel[];
  readonly steps: number;
  readonly origins: readonly number[];
}

/** Chooses the models that the values suffice for, and the same backtest for all of them. */
function planBacktest(count: number, season: number, options: TrendOptions): BacktestPlan {
  const { horizon, methods } = options;
  const wanted = MODELS.filter(
    (model) =>
      (methods === undefined || methods.includes(model.name)) && (season > 1 || !model.isSeasonal),
  );
  const steps = Math.max(1, Math.min(horizon, Math.floor(count / 4), Math.max(season, 6)));
  const models = wanted.filter((model) => model.minPoints(season) <= count - steps);
  const [first] = wanted;
  if (first === undefined)
    throw new ToolError(
      'The values have no season that the methods could use; set season_length, or choose other methods.',
    );
  if (models.length === 0 || (options.seasonLength !== undefined && count < season + 3))
    throw new ToolError(
      `The series has ${count} points, too few for a season of ${season}: at least ${Math.max(season + 3, first.minPoints(season) + steps)} are needed.`,
    );
  const least = models.reduce((most, model) => Math.max(most, model.minPoints(season)), 3);
  const distance = Math.max(1, Math.floor(steps / 2));
  const origins = Array.from({ length: MAX_FOLDS }, (_, index) => count - steps - index * distance);
  return { models, steps, origins: origins.filter((origin) => origin >= least) };
}

function describeError(result: Backtest, steps: number, reach: number): Trend['error'] {
  const { mae, rmse, mape, folds, sigma, relativeErrors } = result;
  const inside = relativeErrors.filter((error) => Math.abs(error) <= reach * sigma * (1 + EQUAL));
  return {
    mae: round(mae),
    rmse: round(rmse),
    mape: mape === null ? null : round(mape),
    folds,
    steps,
    coverage: round(inside.length / Math.max(1, relativeErrors.length)),
  };
}

/** Returns the significant digits of predictions: large values that vary little need more. */
function digitsOf(size: number, spread: number): number {
  const more = spread === 0 ? 0 : Math.max(0, Math.ceil(Math.log10(size / spread)));
  return Math.min(MAX_DIGITS, SPREAD_DIGITS + more);
}

/** Rounds to significant digits. */
function round(value: number, digits = SPREAD_DIGITS): number {
  return Number(value.toPrecision(digits));
}
