import type { DailyWeather } from '../provider.ts';
import type { UnitLabels, UnitSystem } from '../units.ts';

export const COMPARE_METRICS = ['temperature_max', 'precipitation', 'wind'] as const;
export type CompareMetric = (typeof COMPARE_METRICS)[number];

/**
 * Returns the metric of several days in the units of `system`: the highest temperature or wind
 * speed, or the sum of precipitation; `null` without any value.
 */
export function metricOf(
  metric: CompareMetric,
  daily: readonly DailyWeather[],
  system: UnitSystem,
): number | null {
  switch (metric) {
    case 'temperature_max':
      return system.temperature(highest(daily.map((day) => day.temperatureMax)));
    case 'precipitation':
      return system.precipitation(total(daily.map((day) => day.precipitation)));
    case 'wind':
      return system.windSpeed(highest(daily.map((day) => day.windSpeedMax)));
  }
}

export function metricUnit(metric: CompareMetric, labels: UnitLabels): string {
  switch (metric) {
    case 'temperature_max':
      return labels.temperature;
    case 'precipitation':
      return labels.precipitation;
    case 'wind':
      return labels.windSpeed;
  }
}

function highest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

function total(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? Number(known.reduce((sum, value) => sum + value, 0).toFixed(1)) : null;
}
