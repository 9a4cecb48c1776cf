import { WeatherCaches } from './cache/weather-caches.ts';
import type { DiskStore } from './cache/disk-store.ts';
import { createHttpClient, offlineClient } from './http/http-client.ts';
import type { JsonClient } from './http/json-client.ts';
import { realRuntime, type Runtime } from './http/runtime.ts';
import { createNws, type Nws } from './nws/nws.ts';
import { createOpenMeteo, type OpenMeteoUrls } from './open-meteo/open-meteo.ts';
import type {
  ForecastPeriod,
  Origin,
  Place,
  ReadOptions,
  Reading,
  WeatherProvider,
} from './provider.ts';
import { unitSystems } from './units.ts';
import { conditionsOf } from './conditions.ts';
import { WeatherError } from './weather-error.ts';

export const PROVIDER_NAMES = ['auto', 'open-meteo', 'nws'] as const;
/**
 * Source of current weather and forecasts. `auto`: Open-Meteo, and for `get_forecast` the National
 * Weather Service where it has coverage; `nws`: the National Weather Service, which covers the United
 * States only. Alerts always come from the National Weather Service, all else from Open-Meteo.
 */
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Base URLs of the services. Defaults: the public services. */
export interface ServiceUrls extends Partial<OpenMeteoUrls> {
  readonly nws?: URL;
}

export interface WeatherProviderOptions {
  /** User-Agent header: name, version and contact of this program. */
  readonly userAgent: string;
  /** Default `auto`. */
  readonly provider?: ProviderName;
  readonly urls?: ServiceUrls;
  /** Key of a paid subscription of Open-Meteo; its hosts are then used, and no free limits apply. */
  readonly apiKey?: string | undefined;
  /**
   * Time limit of one attempt in milliseconds; all attempts together get one and a half times as
   * much. Default 10000.
   */
  readonly timeoutMs?: number;
  /** Maximum number of concurrent requests, 1 to 5; default 2. */
  readonly maxConcurrency?: number;
  /** Cache that outlives the process; default: memory only. */
  readonly store?: DiskStore | undefined;
  /** Whether to answer from the cache only; default false. */
  readonly offline?: boolean;
  readonly runtime?: Runtime;
  /** Called with a line for every request. */
  readonly debug?: (message: string) => void;
}

const OPEN_METEO = {
  source: 'open-meteo',
  attribution: 'Weather data by Open-Meteo.com (CC BY 4.0)',
};
const AIR_QUALITY = {
  source: 'open-meteo',
  attribution: 'Air quality by Open-Meteo.com (CC BY 4.0), from CAMS of Copernicus',
};
const NWS = {
  source: 'nws',
  attribution: 'National Weather Service (weather.gov), United States',
};

/** Creates a provider of weather and places over HTTP, with a cache. */
export function createWeatherProvider(options: WeatherProviderOptions): WeatherProvider {
  const { userAgent, provider, apiKey, timeoutMs = 10_000, maxConcurrency = 2 } = options;
  const { store, offline = false, runtime = realRuntime, debug = () => undefined } = options;
  const client = offline
    ? offlineClient
    : createHttpClient({
        userAgent,
        timeoutMs,
        maxConcurrency,
        isFreeTier: apiKey === undefined,
        secrets: apiKey === undefined ? [] : [apiKey],
        runtime,
        debug,
      });
  return composeProvider({
    client,
    caches: new WeatherCaches({ store, isOffline: offline, now: runtime.now }),
    urls: serviceUrls(options.urls, apiKey !== undefined),
    origins: { openMeteo: OPEN_METEO, airQuality: AIR_QUALITY, nws: NWS },
    provider,
    apiKey,
  });
}

/** Returns all URLs: the given ones, and else the public services. */
export function serviceUrls(urls: ServiceUrls = {}, isPaid = false): Required<ServiceUrls> {
  const openMeteo = (name: string) =>
    new URL(`https://${isPaid ? 'customer-' : ''}${name}.open-meteo.com`);
  return {
    forecast: openMeteo('api'),
    geocoding: openMeteo('geocoding-api'),
    archive: openMeteo('archive-api'),
    airQuality: openMeteo('air-quality-api'),
    nws: new URL('https://api.weather.gov'),
    ...urls,
  };
}

export interface Composition {
  readonly client: JsonClient;
  readonly caches: WeatherCaches;
  readonly urls: Required<ServiceUrls>;
  readonly origins: {
    readonly openMeteo: Origin;
    readonly airQuality: Origin;
    readonly nws: Origin;
  };
  readonly provider?: ProviderName | undefined;
  readonly apiKey?: string | undefined;
}

/** Joins both services to one provider. */
export function composeProvider(composition: Composition): WeatherProvider {
  const { client, caches, urls, origins, provider = 'auto', apiKey } = composition;
  const openMeteo = createOpenMeteo({
    client,
    caches,
    urls,
    origin: origins.openMeteo,
    airQualityOrigin: origins.airQuality,
    apiKey,
  });
  const nws = createNws({ client, caches, url: urls.nws, origin: origins.nws });
  const { current, forecast } = provider === 'nws' ? nws : openMeteo;
  return {
    ...openMeteo,
    demo: false,
    origin: origins.openMeteo,
    current,
    forecast,
    alerts: nws.alerts,
    periods: periodsFrom(provider, nws, (place, read) =>
      openMeteo.forecast(place, { ...read, days: 7 }),
    ),
  };
}

function periodsFrom(
  provider: ProviderName,
  nws: Nws,
  forecast: (place: Place, options: ReadOptions) => ReturnType<WeatherProvider['forecast']>,
): WeatherProvider['periods'] {
  const days = async (
    place: Place,
    options: ReadOptions,
  ): Promise<Reading<readonly ForecastPeriod[]>> => {
    const { value, ...reading } = await forecast(place, options);
    return { ...reading, value: value.daily.map(dayPeriod) };
  };
  if (provider === 'nws') return nws.periods;
  if (provider === 'open-meteo') return days;
  return async (place, options) => {
    try {
      return await nws.periods(place, options);
    } catch (error) {
      if (error instanceof WeatherError && error.code === 'outside-coverage')
        return days(place, options);
      throw error;
    }
  };
}

/** Returns a day as a period, in degrees Fahrenheit and mph as the National Weather Service has it. */
function dayPeriod(
  day: Awaited<ReturnType<WeatherProvider['forecast']>>['value']['daily'][number],
): ForecastPeriod {
  const { imperial } = unitSystems;
  const low = imperial.temperature(day.temperatureMin);
  const high = imperial.temperature(day.temperatureMax);
  const { text } = conditionsOf(day.weatherCode);
  return {
    name: day.date,
    startTime: day.date,
    isDaytime: true,
    temperature: high,
    temperatureUnit: 'F',
    windSpeed: `${imperial.windSpeed(day.windSpeedMax) ?? 'unknown'} mph`,
    windDirection: day.windDirection === null ? '' : `${day.windDirection}°`,
    shortForecast: text,
    detailedForecast: `${text}, ${low ?? 'unknown'} to ${high ?? 'unknown'} °F.`,
  };
}
