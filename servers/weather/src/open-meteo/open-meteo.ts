import { Limiter } from '../limiter.ts';
import type { CurrentWeather, Forecast, Place, WeatherProvider } from '../provider.ts';
import { WeatherError } from '../weather-error.ts';
import { fetchJson } from './fetch-json.ts';
import { currentOf, currentQuery, forecastOf, forecastQuery } from './forecast.ts';
import { placeOf, placesOf, searchQuery } from './geocoding.ts';
import { realRuntime, type Runtime } from './runtime.ts';
import { SingleFlightCache } from './single-flight-cache.ts';

export interface OpenMeteoOptions {
  /** User-Agent header with the name and version of this program. */
  readonly userAgent: string;
  /** Default `https://api.open-meteo.com`. */
  readonly forecastUrl?: URL;
  /** Default `https://geocoding-api.open-meteo.com`. */
  readonly geocodingUrl?: URL;
  /**
   * Time limit of one attempt in milliseconds; all attempts together get one and a half times as
   * much. Default 10000.
   */
  readonly timeoutMs?: number;
  /** Maximum number of concurrent requests, 1 to 5; default 2. */
  readonly maxConcurrency?: number;
  readonly runtime?: Runtime;
  /** Called with a line for every request. */
  readonly debug?: (message: string) => void;
}

/**
 * Creates a provider of weather and places from Open-Meteo, cached in memory. @see
 * https://open-meteo.com/en/docs
 */
export function createOpenMeteoProvider(options: OpenMeteoOptions): WeatherProvider {
  const {
    timeoutMs = 10_000,
    maxConcurrency = 2,
    runtime = realRuntime,
    debug = () => undefined,
  } = options;
  const {
    forecastUrl = new URL('https://api.open-meteo.com'),
    geocodingUrl = new URL('https://geocoding-api.open-meteo.com'),
  } = options;
  const settings = {
    timeoutMs,
    totalTimeoutMs: timeoutMs * 1.5,
    userAgent: options.userAgent,
    runtime,
    debug,
  };
  const limiter = new Limiter(maxConcurrency);
  const get = (base: URL, path: string, query: URLSearchParams) => (signal: AbortSignal) =>
    limiter.run(signal, () => fetchJson(endpoint(base, path, query), settings, signal));

  const cachePolicy = {
    staleForMs: staleWeatherMs,
    servesStale: isOutage,
    maxEntries: 500,
    now: runtime.now,
  };
  const currents = new SingleFlightCache<CurrentWeather>({
    ...cachePolicy,
    freshUntil: nextQuarterHour,
  });
  const forecasts = new SingleFlightCache<Forecast>({
    ...cachePolicy,
    freshUntil: (storedAt) => storedAt + forecastFreshMs,
  });
  const placesPolicy = {
    ...cachePolicy,
    staleForMs: placesFreshMs,
    freshUntil: (storedAt: number, found: readonly Place[]) =>
      storedAt + (found.length > 0 ? placesFreshMs : unknownNameFreshMs),
  };
  const placesByName = new SingleFlightCache<readonly Place[]>(placesPolicy);
  const placesById = new SingleFlightCache<readonly Place[]>(placesPolicy);

  return {
    source: 'open-meteo',
    attribution: 'Weather data by Open-Meteo.com (CC BY 4.0)',
    demo: false,

    async findPlaces(name, signal) {
      const search = get(geocodingUrl, 'v1/search', searchQuery(name));
      const load = async (flight: AbortSignal) => {
        const found = placesOf(await search(flight));
        for (const place of found) placesById.store(place.id, [place]);
        return found;
      };
      return (await placesByName.read(name.toLowerCase(), load, signal)).value;
    },

    async findPlaceById(id, signal) {
      const lookUp = get(
        geocodingUrl,
        'v1/get',
        new URLSearchParams({ id: String(id), language: 'en', format: 'json' }),
      );
      const load = async (flight: AbortSignal) => {
        const place = placeOf(await lookUp(flight).catch(undefinedWhenRejected));
        return place === undefined ? [] : [place];
      };
      return (await placesById.read(`geo:${id}`, load, signal)).value[0];
    },

    current(place, signal) {
      const load = async (flight: AbortSignal) =>
        currentOf(await get(forecastUrl, 'v1/forecast', currentQuery(place))(flight));
      return currents.read(coordinatesOf(place), load, signal);
    },

    forecast(place, days, signal) {
      const load = async (flight: AbortSignal) =>
        forecastOf(await get(forecastUrl, 'v1/forecast', forecastQuery(place, days))(flight), days);
      return forecasts.read(`${coordinatesOf(place)},${days}`, load, signal);
    },
  };
}

const minuteMs = 60_000;
const forecastFreshMs = 30 * minuteMs;
const staleWeatherMs = 24 * 60 * minuteMs;
const placesFreshMs = 30 * 24 * 60 * minuteMs;
const unknownNameFreshMs = 10 * minuteMs;

/**
 * Returns the time of the next update: Open-Meteo computes current weather every fifteen minutes.
 */
function nextQuarterHour(storedAt: number): number {
  return (Math.floor(storedAt / (15 * minuteMs)) + 1) * 15 * minuteMs;
}

function isOutage(error: unknown): boolean {
  return (
    error instanceof WeatherError &&
    ['network', 'timeout', 'unavailable', 'rate-limited'].includes(error.code)
  );
}

/** Maps a client error, the response to an unknown id, to `undefined`. */
function undefinedWhenRejected(error: unknown): undefined {
  if (error instanceof WeatherError && error.code === 'rejected') return undefined;
  throw error;
}

function coordinatesOf(place: Place): string {
  return `${place.latitude},${place.longitude}`;
}

function endpoint(base: URL, path: string, query: URLSearchParams): URL {
  const url = new URL(path, base.href.endsWith('/') ? base : `${base.href}/`);
  url.search = query.toString();
  return url;
}
