import type { CurrentWeather, DailyWeather, Place } from '../provider.ts';
import type { LocalClock } from './local-clock.ts';
import { seededRandom } from './seeded-random.ts';

/** Returns plausible weather of one day, the same for each call. */
export function madeUpDay(place: Pick<Place, 'id' | 'latitude'>, date: string): DailyWeather {
  const random = seededRandom(`${place.id} ${date}`);
  const mean = seasonalMean(place.latitude, date) + spread(random, 4);
  const range = 3 + 7 * random();
  const wetness = random();
  const precipitation = wetness < 0.6 ? 0 : round((wetness - 0.6) * 50);
  const windSpeedMax = round(5 + 30 * random() ** 2);
  return {
    date,
    temperatureMax: round(mean + range / 2),
    temperatureMin: round(mean - range / 2),
    precipitation,
    precipitationProbability: Math.round(100 * wetness ** 2),
    windSpeedMax,
    windGustsMax: round(windSpeedMax * (1.3 + 0.5 * random())),
    windDirection: Math.floor(360 * random()),
    weatherCode: weatherCode(precipitation, mean, random()),
  };
}

/** Weather at an hour; the time is left to the caller. */
export type MadeUpHour = Omit<CurrentWeather, 'observedAt' | 'timezone' | 'conditions'>;

/** Returns the weather at a local hour, within the bounds of its made-up day. */
export function madeUpHour(
  place: Pick<Place, 'id' | 'latitude'>,
  clock: Pick<LocalClock, 'date' | 'hour'>,
): MadeUpHour {
  const day = madeUpDay(place, clock.date);
  const random = seededRandom(`${place.id} ${clock.date} ${clock.hour}`);
  const min = day.temperatureMin ?? 0;
  const max = day.temperatureMax ?? 0;
  const warmth = (1 + Math.cos((2 * Math.PI * (clock.hour - warmestHour)) / 24)) / 2;
  const temperature = round(min + (max - min) * warmth);
  const windSpeed = round((day.windSpeedMax ?? 0) * (0.4 + 0.6 * random()));
  return {
    temperature,
    apparentTemperature: round(temperature - windSpeed / 15),
    humidity: Math.round(40 + 55 * random()),
    windSpeed,
    windDirection: day.windDirection,
    windGusts: round(windSpeed * 1.4),
    precipitation: round((day.precipitation ?? 0) / 8),
    pressure: round(1013 + spread(random, 18)),
    cloudCover: Math.round(100 * random()),
    weatherCode: day.weatherCode,
  };
}

const warmestHour = 15;
const warmestDayNorth = 200;

/**
 * Returns the mean temperature in degrees Celsius: colder and more seasonal with the distance from
 * the equator.
 */
function seasonalMean(latitude: number, date: string): number {
  const dayOfYear =
    (Date.parse(`${date}T00:00:00Z`) - Date.parse(`${date.slice(0, 4)}-01-01T00:00:00Z`)) /
    86_400_000;
  const distance = Math.abs(latitude);
  const season =
    Math.cos((2 * Math.PI * (dayOfYear - warmestDayNorth)) / 365) * Math.sign(latitude);
  return 28 - 0.35 * distance + 0.18 * distance * season;
}

function weatherCode(precipitation: number, mean: number, random: number): number {
  if (precipitation === 0) return Math.floor(4 * random);
  if (mean < 0) return precipitation > 8 ? 75 : 71;
  if (precipitation > 14) return 95;
  return precipitation > 6 ? 63 : 61;
}

/** Returns a random number from `-width` to `width`. */
function spread(random: () => number, width: number): number {
  return width * (2 * random() - 1);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
