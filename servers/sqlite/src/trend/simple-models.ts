import { fitLine, mean } from './least-squares.ts';
import type { TrendModel } from './model.ts';

/** The mean of all values. */
export const meanModel: TrendModel = {
  name: 'mean',
  isSeasonal: false,
  minPoints: () => 2,
  fit: (values) => {
    const level = mean(values);
    return { predict: () => level, spread: () => Math.sqrt(1 + 1 / values.length) };
  },
};

/** The last value, repeated. */
export const naiveModel: TrendModel = {
  name: 'naive',
  isSeasonal: false,
  minPoints: () => 1,
  fit: (values) => ({ predict: () => values.at(-1) ?? 0, spread: Math.sqrt }),
};

/** A straight line by least squares. */
export const linearModel: TrendModel = {
  name: 'linear_trend',
  isSeasonal: false,
  minPoints: () => 3,
  fit: (values) => {
    const line = fitLine(values);
    return {
      predict: (step) => line.at(values.length - 1 + step),
      spread: (step) => line.spread(values.length - 1 + step),
    };
  },
};

/** The value of one season before. */
export const seasonalNaiveModel: TrendModel = {
  name: 'seasonal_naive',
  isSeasonal: true,
  minPoints: (season) => season,
  fit: (values, season) => ({
    predict: (step) => values[values.length - season + ((step - 1) % season)] ?? 0,
    spread: (step) => Math.sqrt(Math.floor((step - 1) / season) + 1),
  }),
};
