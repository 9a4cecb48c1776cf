import { listOf, numberOf, recordOf, textOf, type JsonRecord } from '../http/json-value.ts';
import { zonedTime } from '../local-time.ts';
import type { CurrentWeather } from '../provider.ts';
import { WeatherError } from '../weather-error.ts';

/**
 * Returns the latest observation of a station in the units of the port. @see
 * https://www.weather.gov/documentation/services-web-api
 * @throws WeatherError `invalid-response` without a time; single values may be missing.
 */
export function observationOf(document: unknown, timezone: string): CurrentWeather {
  const properties = recordOf(recordOf(document)?.['properties']);
  const instant = Date.parse(textOf(properties?.['timestamp']) ?? '');
  if (properties === undefined || Number.isNaN(instant))
    throw new WeatherError(
      'invalid-response',
      'The National Weather Service answered without a usable observation. Try again later.',
    );
  const value = (name: string) => valueOf(properties, name);
  const pressure = value('seaLevelPressure') ?? value('barometricPressure');
  return {
    observedAt: zonedTime(instant, timezone),
    timezone,
    temperature: value('temperature'),
    apparentTemperature: value('heatIndex') ?? value('windChill') ?? value('temperature'),
    humidity: value('relativeHumidity'),
    windSpeed: value('windSpeed'),
    windDirection: value('windDirection'),
    windGusts: value('windGust'),
    precipitation: value('precipitationLastHour'),
    // The service sends pascals.
    pressure: pressure === null ? null : Math.round(pressure / 10) / 10,
    cloudCover: null,
    weatherCode: null,
    conditions: textOf(properties['textDescription']) ?? 'unknown',
  };
}

/** Returns a quantity `{unitCode, value}`, rounded to one decimal. */
function valueOf(properties: JsonRecord, name: string): number | null {
  const value = numberOf(recordOf(properties[name])?.['value']);
  return value === undefined ? null : Math.round(value * 10) / 10;
}

/** Returns the URLs of the stations of a point, nearest first. */
export function stationUrlsOf(document: unknown): readonly string[] {
  return listOf(recordOf(document)?.['features']).flatMap(
    (feature) => textOf(recordOf(feature)?.['id']) ?? [],
  );
}
