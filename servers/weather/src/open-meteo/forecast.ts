import { listOf, numberOf, recordOf, textOf, type JsonRecord } from '../http/json-value.ts';
import { isInCalendar, localTimeOf, offsetOf, zonedTime } from '../local-time.ts';
import type { CurrentWeather, DailyWeather, Forecast, HourlyWeather, Place } from '../provider.ts';
import { WeatherError } from '../weather-error.ts';

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

const hourlyVariables = [
  'temperature_2m',
  'precipitation',
  'precipitation_probability',
  'wind_speed_10m',
  'weather_code',
];

/** @see https://open-meteo.com/en/docs */
export function currentQuery(place: Place): URLSearchParams {
  return placeQuery(place, { current: currentVariables.join(',') });
}

export function forecastQuery(
  place: Place,
  { days, hourly }: { readonly days: number; readonly hourly: boolean },
): URLSearchParams {
  return placeQuery(place, {
    daily: dailyVariables.join(','),
    ...(hourly ? { hourly: hourlyVariables.join(',') } : {}),
    forecast_days: String(days),
  });
}

/**
 * Returns the query of a place. `timezone=auto` makes the days begin at local midnight, not at
 * midnight GMT.
 */
export function placeQuery(
  place: Place,
  variables: { readonly [name: string]: string },
): URLSearchParams {
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
  const observedAt = observationTime(root, current);
  if (root === undefined || current === undefined || observedAt === undefined)
    throw unknownShape('current weather');
  const value = (name: string) => numberOf(current[name]) ?? null;
  return {
    observedAt,
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
  const timezone = textOf(root['timezone']) ?? 'GMT';
  const dates = listOf(daily['time']).slice(0, days);
  const hourly = recordOf(root['hourly']);
  return {
    timezone,
    daily: dates.map((date, index) => dayOf(daily, date, index)),
    ...(hourly === undefined
      ? {}
      : { hourly: hoursOf(hourly, offsetOf(root['utc_offset_seconds']) ?? 0, timezone) }),
  };
}

/**
 * Returns the time of the current values with its offset, ISO 8601; `undefined` for a time or offset
 * that cannot be.
 */
export function observationTime(
  root: JsonRecord | undefined,
  current: JsonRecord | undefined,
): string | undefined {
  const time = localTimeOf(current?.['time']);
  const offsetSeconds = offsetOf(root?.['utc_offset_seconds'] ?? 0);
  return time === undefined || offsetSeconds === undefined
    ? undefined
    : `${time}:00${offset(offsetSeconds)}`;
}

const maxHours = 24 * 16;

/**
 * Returns the hours of a forecast. The service writes every time with the offset of now; a time after
 * a change of the clock gets its own offset.
 */
function hoursOf(
  hourly: JsonRecord,
  offsetSeconds: number,
  timezone: string,
): readonly HourlyWeather[] {
  return listOf(hourly['time'])
    .slice(0, maxHours)
    .map((written, index) => {
      const time = localTimeOf(written);
      if (time === undefined) throw unknownShape('forecast');
      const value = (name: string) => numberOf(listOf(hourly[name])[index]) ?? null;
      return {
        time: zonedTime(Date.parse(`${time}:00Z`) - offsetSeconds * 1000, timezone),
        temperature: value('temperature_2m'),
        precipitation: value('precipitation'),
        precipitationProbability: value('precipitation_probability'),
        windSpeed: value('wind_speed_10m'),
        weatherCode: wholeNumber(value('weather_code')),
      };
    });
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
export function wholeNumber(value: number | null): number | null {
  return Number.isInteger(value) ? value : null;
}

function offset(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60);
  const padded = (value: number) => String(value).padStart(2, '0');
  return `${seconds < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60))}:${padded(minutes % 60)}`;
}

export function unknownShape(what: string): WeatherError {
  return new WeatherError(
    'invalid-response',
    `The weather service answered without a usable ${what}. Try again later.`,
  );
}
