import { longTextOf, numberOf, recordOf, textOf, type JsonRecord } from '../http/json-value.ts';
import type { DailyWeather, ForecastPeriod, HourlyWeather } from '../provider.ts';
import { WeatherError } from '../weather-error.ts';

/** A period of a forecast with the values that become days and hours. */
export interface NwsPeriod extends ForecastPeriod {
  readonly precipitationProbability: number | null;
}

/** Hourly forecasts have 156 periods. */
const MAX_PERIODS = 200;

/** @throws WeatherError `invalid-response` without a list of periods with times */
export function periodsOf(document: unknown): readonly NwsPeriod[] {
  const periods = recordOf(recordOf(document)?.['properties'])?.['periods'];
  if (!Array.isArray(periods)) throw unknownForecast();
  return periods.slice(0, MAX_PERIODS).map(periodOf);
}

function periodOf(value: unknown): NwsPeriod {
  const period: JsonRecord = recordOf(value) ?? {};
  const startTime = textOf(period['startTime']);
  if (startTime === undefined || Number.isNaN(Date.parse(startTime))) throw unknownForecast();
  return {
    name: textOf(period['name']) ?? startTime,
    startTime,
    isDaytime: period['isDaytime'] === true,
    temperature: numberOf(period['temperature']) ?? null,
    temperatureUnit: textOf(period['temperatureUnit']) === 'C' ? 'C' : 'F',
    windSpeed: textOf(period['windSpeed']) ?? 'unknown',
    windDirection: textOf(period['windDirection']) ?? '',
    shortForecast: textOf(period['shortForecast']) ?? 'unknown',
    detailedForecast: longTextOf(period['detailedForecast']) ?? '',
    precipitationProbability:
      numberOf(recordOf(period['probabilityOfPrecipitation'])?.['value']) ?? null,
  };
}

/** Joins the periods of each day: its day has the highest temperature, its night the lowest. */
export function daysOf(periods: readonly NwsPeriod[], days: number): readonly DailyWeather[] {
  const dates = [...new Set(periods.map((period) => period.startTime.slice(0, 10)))];
  return dates.slice(0, days).map((date) => {
    const own = periods.filter((period) => period.startTime.startsWith(date));
    const day = own.find((period) => period.isDaytime);
    const night = own.findLast((period) => !period.isDaytime);
    return {
      date,
      temperatureMax: day === undefined ? null : celsiusOf(day),
      temperatureMin: night === undefined ? null : celsiusOf(night),
      precipitation: null,
      precipitationProbability: highest(own.map((period) => period.precipitationProbability)),
      windSpeedMax: highest(own.map(windSpeedOf)),
      windGustsMax: null,
      windDirection: directionOf((day ?? night)?.windDirection),
      weatherCode: null,
      conditions: (day ?? night)?.shortForecast ?? 'unknown',
    };
  });
}

/** Returns the periods of an hourly forecast as hours. */
export function hoursOf(periods: readonly NwsPeriod[]): readonly HourlyWeather[] {
  return periods.map((period) => ({
    time: period.startTime,
    temperature: celsiusOf(period),
    precipitation: null,
    precipitationProbability: period.precipitationProbability,
    windSpeed: windSpeedOf(period),
    weatherCode: null,
    conditions: period.shortForecast,
  }));
}

function celsiusOf({ temperature, temperatureUnit }: NwsPeriod): number | null {
  if (temperature === null || temperatureUnit === 'C') return temperature;
  return Math.round((temperature - 32) / 0.18) / 10;
}

/** Returns the highest speed of a text such as "5 to 10 mph" in km/h. */
function windSpeedOf({ windSpeed }: NwsPeriod): number | null {
  const speeds = (windSpeed.match(/\d+/g) ?? []).map(Number);
  if (speeds.length === 0) return null;
  const factor = /km\/h/i.test(windSpeed) ? 1 : 1.609344;
  return Math.round(Math.max(...speeds) * factor * 10) / 10;
}

const POINTS: readonly (string | undefined)[] =
  'N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW'.split(' ');

/** Returns the degrees of a direction such as "SSW". */
function directionOf(direction: string | undefined): number | null {
  const index = POINTS.indexOf(direction);
  return index === -1 ? null : index * 22.5;
}

function highest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

function unknownForecast(): WeatherError {
  return new WeatherError(
    'invalid-response',
    'The National Weather Service answered without a usable forecast. Try again later.',
  );
}
