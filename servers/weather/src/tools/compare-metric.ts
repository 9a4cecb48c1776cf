import type { DailyWeather } from '../provider.ts';
import type { UnitLabels, UnitSystem } from '../units.ts';
import { aggregate, type Aggregate } from './history-summary.ts';

export const COMPARE_METRICS = [
  'temperature_max',
  'temperature_min',
  'precipitation',
  'wind',
] as const;
export type CompareMetric = (typeof COMPARE_METRICS)[number];

/** The values of a day that metrics use. */
type MeasuredDay = Pick<
  DailyWeather,
  'temperatureMax' | 'temperatureMin' | 'precipitation' | 'windSpeedMax'
>;

/**
 * Returns the metric of several days in the units of `system`: the highest or lowest temperature,
 * the highest wind speed, or the sum of precipitation; `null` without any value.
 */
export function metricOf(
  metric: CompareMetric,
  daily: readonly MeasuredDay[],
  system: UnitSystem,
): number | null {
  const { min, max, total } = metricOfDays(metric, daily, system);
  switch (metric) {
    case 'temperature_max':
    case 'wind':
      return max;
    case 'temperature_min':
      return min;
    case 'precipitation':
      return total;
  }
}

/** Aggregates the metric of each day in the units of `system`. */
export function metricOfDays(
  metric: CompareMetric,
  daily: readonly MeasuredDay[],
  system: UnitSystem,
): Aggregate {
  const { mean, min, max, total, samples } = aggregate(daily.map((day) => day[FIELDS[metric]]));
  const convert = (value: number | null) => converted(metric, value, system);
  return {
    mean: convert(mean),
    min: convert(min),
    max: convert(max),
    total: metric === 'precipitation' ? convert(total) : null,
    samples,
  };
}

export function metricUnit(metric: CompareMetric, labels: UnitLabels): string {
  switch (metric) {
    case 'temperature_max':
    case 'temperature_min':
      return labels.temperature;
    case 'precipitation':
      return labels.precipitation;
    case 'wind':
      return labels.windSpeed;
  }
}

const FIELDS = {
  temperature_max: 'temperatureMax',
  temperature_min: 'temperatureMin',
  precipitation: 'precipitation',
  wind: 'windSpeedMax',
} as const;

function converted(metric: CompareMetric, value: number | null, system: UnitSystem): number | null {
  switch (metric) {
    case 'temperature_max':
    case 'temperature_min':
      return system.temperature(value);
    case 'precipitation':
      return system.precipitation(value);
    case 'wind':
      return system.windSpeed(value);
  }
}
