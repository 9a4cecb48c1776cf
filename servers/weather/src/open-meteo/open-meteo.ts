import { DAY_MS, MINUTE_MS, nextQuarterHour, type WeatherCaches } from '../cache/weather-caches.ts';
import { endpoint } from '../http/endpoint.ts';
import type { JsonClient, JsonRequest } from '../http/json-client.ts';
import { nextMidnight } from '../local-time.ts';
import type {
  AirQuality,
  CurrentWeather,
  Forecast,
  History,
  Origin,
  Place,
  WeatherProvider,
} from '../provider.ts';
import { WeatherError } from '../weather-error.ts';
import { airQualityOf, airQualityQuery } from './air-quality.ts';
import { archiveQuery, archiveWeight, historyOf } from './archive.ts';
import { currentOf, currentQuery, forecastOf, forecastQuery } from './forecast.ts';
import { placeOf, placesOf, searchQuery } from './geocoding.ts';

/** Base URLs of the services of Open-Meteo. */
export interface OpenMeteoUrls {
  readonly forecast: URL;
  readonly geocoding: URL;
  readonly archive: URL;
  readonly airQuality: URL;
}

export interface OpenMeteoOptions {
  readonly client: JsonClient;
  readonly caches: WeatherCaches;
  readonly urls: OpenMeteoUrls;
  readonly origin: Origin;
  readonly airQualityOrigin: Origin;
  /** Key of a paid subscription, sent as the parameter `apikey`; never part of a cache key. */
  readonly apiKey?: string | undefined;
}

export type OpenMeteo = Pick<
  WeatherProvider,
  'findPlaces' | 'findPlaceById' | 'current' | 'forecast' | 'history' | 'airQuality'
>;

/**
 * Creates the source of places, weather, past weather and air quality from Open-Meteo. @see
 * https://open-meteo.com/en/docs
 */
export function createOpenMeteo({
  client,
  caches,
  urls,
  origin,
  airQualityOrigin,
  apiKey,
}: OpenMeteoOptions): OpenMeteo {
  const get = (
    base: URL,
    path: string,
    query: URLSearchParams,
    { signal, weight = 1, ...request }: JsonRequest & { readonly signal: AbortSignal },
  ): Promise<unknown> => {
    if (apiKey !== undefined) query.set('apikey', apiKey);
    return client.get(endpoint(base, path, query), { weight, ...request }, signal);
  };
  const currents = caches.create<CurrentWeather>('current', nextQuarterHour);
  const forecasts = caches.create<Forecast>('forecast', (storedAt, { timezone }) =>
    Math.min(storedAt + FORECAST_FRESH_MS, nextMidnight(storedAt, timezone)),
  );
  const histories = caches.create<History>('history', historyFreshUntil, { maxEntries: 200 });
  const airs = caches.create<AirQuality>('air', nextQuarterHour);
  const placesFreshUntil = (storedAt: number, found: readonly Place[]) =>
    storedAt + (found.length > 0 ? PLACES_FRESH_MS : UNKNOWN_NAME_FRESH_MS);
  const placesPolicy = { staleForMs: PLACES_FRESH_MS };
  const placesByName = caches.create('names', placesFreshUntil, placesPolicy);
  const placesById = caches.create('places', placesFreshUntil, placesPolicy);

  return {
    async findPlaces(name, signal) {
      const load = async (flight: AbortSignal) => {
        const query = searchQuery(name);
        const found = placesOf(await get(urls.geocoding, 'v1/search', query, { signal: flight }));
        for (const place of found) placesById.store(place.id, [place]);
        return found;
      };
      return (await placesByName.read(name.toLowerCase(), load, { signal })).value;
    },

    async findPlaceById(id, signal) {
      const load = async (flight: AbortSignal) => {
        const query = new URLSearchParams({ id: String(id), language: 'en', format: 'json' });
        const place = placeOf(
          await get(urls.geocoding, 'v1/get', query, { signal: flight }).catch(
            undefinedWhenRejected,
          ),
        );
        return place === undefined ? [] : [place];
      };
      return (await placesById.read(`geo:${id}`, load, { signal })).value[0];
    },

    async current(place, options) {
      const load = async (signal: AbortSignal) =>
        currentOf(await get(urls.forecast, 'v1/forecast', currentQuery(place), { signal }));
      return { ...(await currents.read(coordinatesOf(place), load, options)), origin };
    },

    async forecast(place, { days, hourly = false, ...options }) {
      const load = async (signal: AbortSignal) => {
        const query = forecastQuery(place, { days, hourly });
        const weight = hourly ? 1.3 : 1;
        return forecastOf(await get(urls.forecast, 'v1/forecast', query, { signal, weight }), days);
      };
      const key = `${coordinatesOf(place)},${days}${hourly ? ',hourly' : ''}`;
      return { ...(await forecasts.read(key, load, options)), origin };
    },

    async history(place, { start, end, ...options }) {
      const range = { start, end };
      const load = async (signal: AbortSignal) =>
        historyOf(
          await get(urls.archive, 'v1/archive', archiveQuery(place, range), {
            signal,
            weight: archiveWeight(range),
            isPatient: true,
          }),
        );
      const key = `${coordinatesOf(place)},${start},${end}`;
      return { ...(await histories.read(key, load, options)), origin };
    },

    async airQuality(place, options) {
      const load = async (signal: AbortSignal) =>
        airQualityOf(
          await get(urls.airQuality, 'v1/air-quality', airQualityQuery(place), { signal }),
        );
      const reading = await airs.read(coordinatesOf(place), load, options);
      return { ...reading, origin: airQualityOrigin };
    },
  };
}

/** At most until midnight at the place, because the first day is today. */
const FORECAST_FRESH_MS = 30 * MINUTE_MS;
const PLACES_FRESH_MS = 30 * DAY_MS;
const UNKNOWN_NAME_FRESH_MS = 10 * MINUTE_MS;
/** Days after which the archive no longer changes a value. */
const SETTLED_AFTER_DAYS = 7;
const UNSETTLED_FRESH_MS = 60 * MINUTE_MS;

function historyFreshUntil(storedAt: number, { days }: History): number {
  const last = Date.parse(days.at(-1)?.date ?? '');
  return storedAt - last > SETTLED_AFTER_DAYS * DAY_MS ? Infinity : storedAt + UNSETTLED_FRESH_MS;
}

/** Maps a client error, the response to an unknown id, to `undefined`. */
function undefinedWhenRejected(error: unknown): undefined {
  if (error instanceof WeatherError && error.code === 'rejected') return undefined;
  throw error;
}

function coordinatesOf(place: Place): string {
  return `${place.latitude},${place.longitude}`;
}
