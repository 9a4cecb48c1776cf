import { dayAfter } from '../local-time.ts';
import { demoCities } from './cities.ts';
import { localClock } from './local-clock.ts';
import { madeUpDay, madeUpHour } from './made-up-weather.ts';
import { seededRandom } from './seeded-random.ts';
import type { MockResponse } from './mock-response.ts';

/** A made-up place: a city of the demo, or any coordinates, in GMT. */
interface MadeUpPlace {
  readonly id: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly timezone: string;
}

/** Responds like the geocoding service: two letters match a whole name, three its beginning. */
export function searchDocument(query: URLSearchParams): MockResponse {
  const name = (query.get('name') ?? '').toLowerCase();
  const results = demoCities.filter(({ name: own }) =>
    name.length > 2 ? own.toLowerCase().startsWith(name) : own.toLowerCase() === name,
  );
  return { body: results.length === 0 ? {} : { results: results.map(geocodingResult) } };
}

/** Responds like the geocoding service to an id. */
export function placeDocument(query: URLSearchParams): MockResponse {
  const city = demoCities.find(({ id }) => id === `geo:${query.get('id')}`);
  return city === undefined
    ? { status: 404, body: { error: true, reason: 'Location ID not found.' } }
    : { body: geocodingResult(city) };
}

function geocodingResult(city: (typeof demoCities)[number]): object {
  const { id, name, admin1, country, countryCode, latitude, longitude, timezone, population } =
    city;
  return {
    id: Number(id.slice('geo:'.length)),
    name,
    latitude,
    longitude,
    feature_code: 'PPL',
    country_code: countryCode,
    country,
    ...(admin1 === undefined ? {} : { admin1 }),
    timezone,
    population,
  };
}

/** Responds like the forecast service with the requested parts. */
export function forecastDocument(query: URLSearchParams, now: Date): MockResponse {
  const place = placeOfQuery(query);
  const clock = localClock(now, place.timezone);
  const days = Number(query.get('forecast_days') ?? 7);
  const dates = Array.from({ length: days }, (_, index) => dayAfter(clock.date, index));
  return {
    body: {
      ...place,
      id: undefined,
      utc_offset_seconds: clock.offsetSeconds,
      ...(query.has('current')
        ? {
            current: {
              time: `${clock.date}T${String(clock.hour).padStart(2, '0')}:00`,
              interval: 900,
              ...hourValues(place, clock),
            },
          }
        : {}),
      ...(query.has('daily') ? { daily: dailyColumns(place, dates) } : {}),
      ...(query.has('hourly') ? { hourly: hourlyColumns(place, dates) } : {}),
    },
  };
}

/** Responds like the archive. */
export function archiveDocument(query: URLSearchParams): MockResponse {
  const place = placeOfQuery(query);
  const [start, end] = [query.get('start_date') ?? '', query.get('end_date') ?? ''];
  const dates: string[] = [];
  for (let date = start; date <= end; date = dayAfter(date, 1)) dates.push(date);
  return { body: { ...place, id: undefined, daily: dailyColumns(place, dates) } };
}

/** Responds like the air quality service. */
export function airQualityDocument(query: URLSearchParams, now: Date): MockResponse {
  const place = placeOfQuery(query);
  const clock = localClock(now, place.timezone);
  const random = seededRandom(`${place.id} ${clock.date} ${clock.hour} air`);
  const dust = 5 + 40 * random() ** 2;
  const values = {
    european_aqi: Math.round(15 + dust),
    us_aqi: Math.round(20 + 2 * dust),
    pm2_5: round(dust),
    pm10: round(dust * 1.6),
    ozone: round(30 + 60 * random()),
    nitrogen_dioxide: round(40 * random()),
    sulphur_dioxide: round(5 * random()),
    carbon_monoxide: Math.round(150 + 200 * random()),
  };
  return {
    body: {
      ...place,
      id: undefined,
      utc_offset_seconds: clock.offsetSeconds,
      current_units: Object.fromEntries(
        Object.keys(values).map((name) => [
          name,
          name === 'european_aqi' ? 'EAQI' : name === 'us_aqi' ? 'USAQI' : 'μg/m³',
        ]),
      ),
      current: {
        time: `${clock.date}T${String(clock.hour).padStart(2, '0')}:00`,
        interval: 3600,
        ...values,
      },
    },
  };
}

function placeOfQuery(query: URLSearchParams): MadeUpPlace {
  const [latitude, longitude] = [Number(query.get('latitude')), Number(query.get('longitude'))];
  const city = demoCities.find(
    (each) => each.latitude === latitude && each.longitude === longitude,
  );
  return {
    id: city?.id ?? `${latitude},${longitude}`,
    latitude,
    longitude,
    timezone: city?.timezone ?? 'GMT',
  };
}

function hourValues(place: MadeUpPlace, at: { readonly date: string; readonly hour: number }) {
  const hour = madeUpHour(place, at);
  return {
    temperature_2m: hour.temperature,
    apparent_temperature: hour.apparentTemperature,
    relative_humidity_2m: hour.humidity,
    precipitation: hour.precipitation,
    weather_code: hour.weatherCode,
    cloud_cover: hour.cloudCover,
    pressure_msl: hour.pressure,
    wind_speed_10m: hour.windSpeed,
    wind_direction_10m: hour.windDirection,
    wind_gusts_10m: hour.windGusts,
  };
}

function hourlyColumns(place: MadeUpPlace, dates: readonly string[]): object {
  const hours = dates.flatMap((date) =>
    Array.from({ length: 24 }, (_, hour) => ({
      time: `${date}T${String(hour).padStart(2, '0')}:00`,
      chance: madeUpDay(place, date).precipitationProbability,
      ...hourValues(place, { date, hour }),
    })),
  );
  return {
    time: hours.map((hour) => hour.time),
    temperature_2m: hours.map((hour) => hour.temperature_2m),
    precipitation: hours.map((hour) => hour.precipitation),
    precipitation_probability: hours.map((hour) => hour.chance),
    wind_speed_10m: hours.map((hour) => hour.wind_speed_10m),
    weather_code: hours.map((hour) => hour.weather_code),
  };
}

function dailyColumns(place: MadeUpPlace, dates: readonly string[]): object {
  const days = dates.map((date) => madeUpDay(place, date));
  return {
    time: dates,
    weather_code: days.map((day) => day.weatherCode),
    temperature_2m_max: days.map((day) => day.temperatureMax),
    temperature_2m_min: days.map((day) => day.temperatureMin),
    temperature_2m_mean: days.map((day) =>
      round(((day.temperatureMax ?? 0) + (day.temperatureMin ?? 0)) / 2),
    ),
    precipitation_sum: days.map((day) => day.precipitation),
    precipitation_probability_max: days.map((day) => day.precipitationProbability),
    wind_speed_10m_max: days.map((day) => day.windSpeedMax),
    wind_gusts_10m_max: days.map((day) => day.windGustsMax),
    wind_direction_10m_dominant: days.map((day) => day.windDirection),
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
