import { listOf, numberOf, recordOf, textOf } from '../http/json-value.ts';
import { isDate } from '../local-time.ts';
import type { History, Place } from '../provider.ts';
import { placeQuery, unknownShape, wholeNumber } from './forecast.ts';

const dailyVariables = [
  'weather_code',
  'temperature_2m_max',
  'temperature_2m_min',
  'temperature_2m_mean',
  'precipitation_sum',
  'wind_speed_10m_max',
];

export interface ArchiveRange {
  /** First date, `YYYY-MM-DD`. */
  readonly start: string;
  /** Last date, `YYYY-MM-DD`. */
  readonly end: string;
}

/** @see https://open-meteo.com/en/docs/historical-weather-api */
export function archiveQuery(place: Place, { start, end }: ArchiveRange): URLSearchParams {
  return placeQuery(place, { daily: dailyVariables.join(','), start_date: start, end_date: end });
}

/**
 * Returns how many calls of the free limits a query counts as: more than ten variables and more than
 * two weeks count proportionally. @see https://open-meteo.com/en/pricing
 */
export function archiveWeight({ start, end }: ArchiveRange): number {
  const days = (Date.parse(end) - Date.parse(start)) / 86_400_000 + 1;
  return Math.max(1, (dailyVariables.length / 10) * Math.max(1, days / 14));
}

/** @throws WeatherError `invalid-response` when there are no days; single values may be missing. */
export function historyOf(document: unknown): History {
  const root = recordOf(document);
  const daily = recordOf(root?.['daily']);
  if (root === undefined || daily === undefined || !Array.isArray(daily['time']))
    throw unknownShape('weather of the past');
  return {
    timezone: textOf(root['timezone']) ?? 'GMT',
    days: listOf(daily['time']).map((date, index) => {
      if (typeof date !== 'string' || !isDate(date)) throw unknownShape('weather of the past');
      const value = (name: string) => numberOf(listOf(daily[name])[index]) ?? null;
      return {
        date,
        temperatureMax: value('temperature_2m_max'),
        temperatureMin: value('temperature_2m_min'),
        temperatureMean: value('temperature_2m_mean'),
        precipitation: value('precipitation_sum'),
        windSpeedMax: value('wind_speed_10m_max'),
        weatherCode: wholeNumber(value('weather_code')),
      };
    }),
  };
}
