import type { TrendModel } from './model.ts';

/** The errors of a model on values that it had not seen. */
export interface Backtest {
  /** Number of forecasts, each from a different point in time. */
  readonly folds: number;
  /** Mean absolute error. */
  readonly mae: number;
  /** Root of the mean squared error. */
  readonly rmse: number;
  /** Mean absolute error in percent of the values; `null` when one of them is 0. */
  readonly mape: number | null;
  /** Standard error of a prediction one step ahead. */
  readonly sigma: number;
  /** Errors in relation to the standard error of their step. */
  readonly relativeErrors: readonly number[];
}

export interface BacktestOptions {
  readonly season: number;
  /** Steps of each forecast. */
  readonly steps: number;
  /** Numbers of values from which the forecasts are made. */
  readonly origins: readonly number[];
}

/**
 * Predicts known values from those before them. Returns `undefined` when the model cannot be fitted
 * to them.
 */
export function backtest(
  model: TrendModel,
  values: readonly number[],
  { season, steps, origins }: BacktestOptions,
): Backtest | undefined {
  const errors: { readonly actual: number; readonly error: number; readonly spread: number }[] = [];
  for (const origin of origins) {
    const fitted = model.fit(values.slice(0, origin), season);
    if (fitted === undefined) return undefined;
    for (let step = 1; step <= steps; step += 1) {
      const actual = values[origin - 1 + step] ?? 0;
      errors.push({ actual, error: actual - fitted.predict(step), spread: fitted.spread(step) });
    }
  }
  const relativeErrors = errors.map(({ error, spread }) => (spread === 0 ? 0 : error / spread));
  return {
    folds: origins.length,
    mae: meanOf(errors.map(({ error }) => Math.abs(error))),
    rmse: Math.sqrt(meanOf(errors.map(({ error }) => error * error))),
    mape: errors.some(({ actual }) => actual === 0)
      ? null
      : 100 * meanOf(errors.map(({ actual, error }) => Math.abs(error / actual))),
    sigma: Math.sqrt(meanOf(relativeErrors.map((error) => error * error))),
    relativeErrors,
  };
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length);
}
