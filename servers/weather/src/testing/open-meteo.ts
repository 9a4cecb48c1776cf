import type { WeatherProvider } from '../provider.ts';
import { createWeatherProvider, type WeatherProviderOptions } from '../weather-provider.ts';
import { sendJson, type Answer, type Upstream } from './upstream.ts';

/** Creates a provider with `upstream` as all services and without delays. */
export function providerOf(
  upstream: Upstream,
  options: Partial<WeatherProviderOptions> = {},
): WeatherProvider {
  const runtime = { now: Date.now, random: () => 0.5, pause: async () => undefined };
  const { url } = upstream;
  return createWeatherProvider({
    userAgent: 'signalbox-weather/test',
    urls: { forecast: url, geocoding: url, archive: url, airQuality: url, nws: url },
    runtime,
    ...options,
  });
}

export function geocoded(id: number, name: string, more: object = {}) {
  return {
    id,
    name,
    latitude: 10 + id,
    longitude: 20,
    country: 'Testland',
    country_code: 'TL',
    feature_code: 'PPL',
    timezone: 'Europe/Berlin',
    ...more,
  };
}

export const springfields = [
  geocoded(1, 'Springfield', {
    admin1: 'Missouri',
    country: 'United States',
    country_code: 'US',
    population: 169_176,
    latitude: 37.22,
    longitude: -93.3,
  }),
  geocoded(2, 'Springfield', {
    admin1: 'Illinois',
    country: 'United States',
    country_code: 'US',
    population: 114_394,
    latitude: 39.8,
    longitude: -89.64,
  }),
];

export const currentDocument = {
  latitude: 52.52,
  longitude: 13.42,
  utc_offset_seconds: 3600,
  timezone: 'Europe/Berlin',
  current: {
    time: '2026-11-20T14:15',
    interval: 900,
    temperature_2m: 3.4,
    apparent_temperature: -0.6,
    relative_humidity_2m: 87,
    precipitation: 0.2,
    weather_code: 61,
    cloud_cover: 100,
    pressure_msl: 1009.1,
    wind_speed_10m: 14.2,
    wind_direction_10m: 250,
    wind_gusts_10m: 30.6,
  },
};

export function forecastDocument(days: number, temperatureMax = 10) {
  const each = (value: (index: number) => unknown) =>
    Array.from({ length: days }, (_, index) => value(index));
  return {
    utc_offset_seconds: 3600,
    timezone: 'Europe/Berlin',
    daily: {
      time: each((index) => `2026-11-${20 + index}`),
      weather_code: each(() => 3),
      temperature_2m_max: each((index) => temperatureMax + index),
      temperature_2m_min: each(() => 1),
      precipitation_sum: each(() => 0.5),
      precipitation_probability_max: each(() => 40),
      wind_speed_10m_max: each(() => 20),
      wind_gusts_10m_max: each(() => 40),
      wind_direction_10m_dominant: each(() => 180),
    },
  };
}

/** Responds like Open-Meteo; `places` are the results of a search, by name. */
export function openMeteo(
  places: { readonly [name: string]: readonly unknown[] } = {
    Berlin: [geocoded(1, 'Berlin', { population: 3_000_000 })],
  },
): Answer {
  return ({ url, response }) => {
    const name = url.searchParams.get('name');
    if (url.pathname.endsWith('/v1/search')) {
      const results = Object.entries(places).find(
        ([own]) => own.toLowerCase() === name?.toLowerCase(),
      )?.[1];
      return sendJson(
        response,
        results === undefined ? { generationtime_ms: 0.5 } : { results, generationtime_ms: 0.5 },
      );
    }
    if (url.searchParams.has('current')) return sendJson(response, currentDocument);
    return sendJson(
      response,
      forecastDocument(
        Number(url.searchParams.get('forecast_days')),
        Number(url.searchParams.get('latitude')),
      ),
    );
  };
}
