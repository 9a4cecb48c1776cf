import type { CurrentWeather, DailyWeather, Forecast, Place } from '../provider.ts';
import { WeatherError } from '../weather-error.ts';
import { listOf, numberOf, recordOf, textOf, type JsonRecord } from './json-value.ts';

const currentVariables = [
  'temperature_2m',
  'apparent_temperature',
  'relative_humidity_2m',
  'precipitation',
  'weather_code',
  'cloud_cover',
  'pressure_msl',
  'wind_speed_10m',
  'wind_direction_10m',
  'wind_gusts_10m',
];

const dailyVariables = [
  'weather_code',
  'temperature_2m_max',
  'temperature_2m_min',
  'precipitation_sum',
  'precipitation_probability_max',
  'wind_speed_10m_max',
  'wind_gusts_10m_max',
  'wind_direction_10m_dominant',
];

/** @see https://open-meteo.com/en/docs */
export function currentQuery(place: Place): URLSearchParams {
  return query(place, { current: currentVariables.join(',') });
}

export function forecastQuery(place: Place, days: number): URLSearchParams {
  return query(place, { daily: dailyVariables.join(','), forecast_days: String(days) });
}

/**
 * Returns the query of a place. `timezone=auto` makes the days begin at local midnight, not at
 * midnight GMT.
 */
function query(place: Place, variables: { readonly [name: string]: string }): URLSearchParams {
  return new URLSearchParams({
    latitude: String(place.latitude),
    longitude: String(place.longitude),
    ...variables,
    timezone: 'auto',
  });
}

/** @throws WeatherError `invalid-response` when there is no current weather with a time; single values may be missing. */
export function currentOf(document: unknown): CurrentWeather {
  const root = recordOf(document);
  const current = recordOf(root?.['current']);
  const time = localTime(current?.['time']);
  const offsetSeconds = numberOf(root?.['utc_offset_seconds']) ?? 0;
  if (
    root === undefined ||
    current === undefined ||
    time === undefined ||
    Math.abs(offsetSeconds) > maxOffsetSeconds
  )
    throw unknownShape('current weather');
  const value = (name: string) => numberOf(current[name]) ?? null;
  return {
    observedAt: `${time}:00${offset(offsetSeconds)}`,
    timezone: textOf(root['timezone']) ?? 'GMT',
    temperature: value('temperature_2m'),
    apparentTemperature: value('apparent_temperature'),
    humidity: value('relative_humidity_2m'),
    windSpeed: value('wind_speed_10m'),
    windDirection: value('wind_direction_10m'),
    windGusts: value('wind_gusts_10m'),
    precipitation: value('precipitation'),
    pressure: value('pressure_msl'),
    cloudCover: value('cloud_cover'),
    weatherCode: wholeNumber(value('weather_code')),
  };
}

/** At most `days` days. @throws WeatherError `invalid-response` when there are none; single values may be missing. */
export function forecastOf(document: unknown, days: number): Forecast {
  const root = recordOf(document);
  const daily = recordOf(root?.['daily']);
  if (root === undefined || daily === undefined || !Array.isArray(daily['time']))
    throw unknownShape('forecast');
  return {
    timezone: textOf(root['timezone']) ?? 'GMT',
    daily: listOf(daily['time'])
      .slice(0, days)
      .map((date, index) => dayOf(daily, date, index)),
  };
}

function dayOf(daily: JsonRecord, date: unknown, index: number): DailyWeather {
  if (typeof date !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(date) || !isInCalendar(date))
    throw unknownShape('forecast');
  const value = (name: string) => numberOf(listOf(daily[name])[index]) ?? null;
  return {
    date,
    temperatureMax: value('temperature_2m_max'),
    temperatureMin: value('temperature_2m_min'),
    precipitation: value('precipitation_sum'),
    precipitationProbability: value('precipitation_probability_max'),
    windSpeedMax: value('wind_speed_10m_max'),
    windGustsMax: value('wind_gusts_10m_max'),
    windDirection: value('wind_direction_10m_dominant'),
    weatherCode: wholeNumber(value('weather_code')),
  };
}

/** Returns a WMO code, which is a whole number; any other number becomes `null`. */
function wholeNumber(value: number | null): number | null {
  return Number.isInteger(value) ? value : null;
}

/** Returns a local time of the service, `YYYY-MM-DDTHH:MM`. */
function localTime(value: unknown): string | undefined {
  const time =
    typeof value === 'string' ? /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.exec(value)?.[0] : undefined;
  return time !== undefined && isInCalendar(time) ? time : undefined;
}

/** Whether a date, or a date with a time, exists: 2026-02-30 does not exist. */
function isInCalendar(text: string): boolean {
  const date = new Date(`${text.slice(0, 10)}T${text.slice(11) || '00:00'}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Largest offset of a time zone; they reach from -12:00 to +14:00. */
const maxOffsetSeconds = 14 * 3600;

function offset(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60);
  const padded = (value: number) => String(value).padStart(2, '0');
  return `${seconds < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60))}:${padded(minutes % 60)}`;
}

function unknownShape(what: string): WeatherError {
  return new WeatherError(
    'invalid-response',
    `The weather service answered without a usable ${what}. Try again later.`,
  );
}
