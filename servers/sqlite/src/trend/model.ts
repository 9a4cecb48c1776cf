/** A model that was fitted to a series. */
export interface FittedModel {
  /** Returns the prediction `step` steps after the last value, from 1. */
  readonly predict: (step: number) => number;
  /** Returns the standard error of that prediction in relation to that of one step. */
  readonly spread: (step: number) => number;
}

/** A deterministic model of a time series. */
export interface TrendModel {
  readonly name: string;
  readonly isSeasonal: boolean;
  /** Fewest values from which the model can be fitted. */
  readonly minPoints: (season: number) => number;
  /** Fits the model. Returns `undefined` for values that it cannot describe. */
  readonly fit: (values: readonly number[], season: number) => FittedModel | undefined;
}
