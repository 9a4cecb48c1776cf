import { DAY_MS, MINUTE_MS, nextQuarterHour, type WeatherCaches } from '../cache/weather-caches.ts';
import { endpoint } from '../http/endpoint.ts';
import type { JsonClient } from '../http/json-client.ts';
import { recordOf, textOf } from '../http/json-value.ts';
import { nextMidnight } from '../local-time.ts';
import type { CurrentWeather, Origin, Place, WeatherAlert, WeatherProvider } from '../provider.ts';
import { WeatherError } from '../weather-error.ts';
import { alertsOf } from './alerts.ts';
import { observationOf, stationUrlsOf } from './observation.ts';
import { daysOf, hoursOf, periodsOf, type NwsPeriod } from './periods.ts';

export interface NwsOptions {
  readonly client: JsonClient;
  readonly caches: WeatherCaches;
  readonly url: URL;
  readonly origin: Origin;
}

export type Nws = Pick<WeatherProvider, 'current' | 'forecast' | 'alerts' | 'periods'>;

/**
 * Creates the source of alerts, forecasts and observations of the United States from the National
 * Weather Service. URLs in its answers are used only below `url`. @see
 * https://www.weather.gov/documentation/services-web-api
 */
export function createNws({ client, caches, url: base, origin }: NwsOptions): Nws {
  // The service caches answers of other types for too long.
  const get = (url: URL, signal: AbortSignal) =>
    client.get(url, { accept: 'application/geo+json' }, signal);
  const freshFor = (ms: number) => (storedAt: number) => storedAt + ms;
  const points = caches.create<NwsPoint>('points', freshFor(DAY_MS), { staleForMs: 7 * DAY_MS });
  const stations = caches.create<readonly string[]>('stations', freshFor(DAY_MS), {
    staleForMs: 7 * DAY_MS,
  });
  const observations = caches.create<CurrentWeather>('observations', nextQuarterHour);
  const forecasts = caches.create<readonly NwsPeriod[]>('periods', (storedAt, periods) =>
    Math.min(storedAt + 30 * MINUTE_MS, nextMidnight(storedAt, offsetOf(periods))),
  );
  const alerts = caches.create<readonly WeatherAlert[]>('alerts', freshFor(2 * MINUTE_MS));

  const pointOf = async (place: Place, signal: AbortSignal): Promise<NwsPoint> => {
    const at = coordinatesOf(place);
    const load = async (flight: AbortSignal) =>
      nwsPointOf(await get(endpoint(base, `points/${at}`), flight).catch(throwOutside));
    return (await points.read(at, load, { signal })).value;
  };
  const readPeriods = (
    url: string | undefined,
    options: { readonly signal: AbortSignal; readonly maxAgeMs?: number | undefined },
  ) => {
    const load = async (flight: AbortSignal) => periodsOf(await get(pinned(url, base), flight));
    return forecasts.read(url ?? '', load, options);
  };

  return {
    async alerts(area, options) {
      const query = new URLSearchParams(
        'area' in area ? { area: area.area } : { point: coordinatesOf(area) },
      );
      const load = async (flight: AbortSignal) => {
        const document = get(endpoint(base, 'alerts/active', query), flight);
        return alertsOf('area' in area ? await document : await document.catch(throwOutside));
      };
      return { ...(await alerts.read(query.toString(), load, options)), origin };
    },

    async periods(place, options) {
      const { forecast } = await pointOf(place, options.signal);
      return { ...(await readPeriods(forecast, options)), origin };
    },

    async forecast(place, { days, hourly = false, ...options }) {
      const point = await pointOf(place, options.signal);
      const { value, ...reading } = await readPeriods(point.forecast, options);
      const hours = hourly ? (await readPeriods(point.forecastHourly, options)).value : undefined;
      return {
        ...reading,
        value: {
          timezone: point.timezone,
          daily: daysOf(value, days),
          ...(hours === undefined ? {} : { hourly: hoursOf(hours).slice(0, 24 * days) }),
        },
        origin,
      };
    },

    async current(place, options) {
      const { stations: list, timezone } = await pointOf(place, options.signal);
      const load = async (flight: AbortSignal) => {
        const loadStations = async (inner: AbortSignal) =>
          stationUrlsOf(await get(pinned(list, base), inner));
        const { value } = await stations.read(list ?? '', loadStations, { signal: flight });
        const [nearest] = value;
        if (nearest === undefined)
          throw new WeatherError('unavailable', 'There is no weather station near this place.');
        const latest = endpoint(pinned(nearest, base), 'observations/latest');
        return observationOf(await get(latest, flight), timezone);
      };
      return { ...(await observations.read(coordinatesOf(place), load, options)), origin };
    },
  };
}

/** Returns the offset of the times of a forecast. */
function offsetOf([first]: readonly NwsPeriod[]): string {
  return /[+-]\d{2}:\d{2}$/.exec(first?.startTime ?? '')?.[0] ?? 'GMT';
}

interface NwsPoint {
  /** URLs as the service wrote them. */
  readonly forecast?: string | undefined;
  readonly forecastHourly?: string | undefined;
  readonly stations?: string | undefined;
  readonly timezone: string;
}

function nwsPointOf(document: unknown): NwsPoint {
  const properties = recordOf(recordOf(document)?.['properties']);
  return {
    forecast: textOf(properties?.['forecast']),
    forecastHourly: textOf(properties?.['forecastHourly']),
    stations: textOf(properties?.['observationStations']),
    timezone: textOf(properties?.['timeZone']) ?? 'GMT',
  };
}

/**
 * Returns a URL of an answer, which must be below the configured URL: the answer could otherwise make
 * this server request anything.
 */
function pinned(text: string | undefined, base: URL): URL {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const path = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  const isBelow =
    url?.origin === base.origin &&
    url.pathname.startsWith(path) &&
    url.username === '' &&
    url.password === '';
  if (isBelow) return url;
  throw new WeatherError(
    'invalid-response',
    `${base.host} answered with a URL of another server, or without the URL of its forecast; nothing else was requested.`,
  );
}

/** Returns the coordinates with at most four decimals; the service redirects others. */
function coordinatesOf({
  latitude,
  longitude,
}: {
  readonly latitude: number;
  readonly longitude: number;
}): string {
  return `${Number(latitude.toFixed(4))},${Number(longitude.toFixed(4))}`;
}

/** Explains the rejection of a point, which is outside the United States. */
function throwOutside(error: unknown): never {
  if (error instanceof WeatherError && error.code === 'rejected')
    throw new WeatherError(
      'outside-coverage',
      'The National Weather Service covers the United States only; this place is outside its coverage.',
      { cause: error },
    );
  throw error;
}
