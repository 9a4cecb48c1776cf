import type { ReadResourceResult } from '@signalbox/mcp-core';
import { requireArea } from '../nws/require-area.ts';
import { MAX_FORECAST_DAYS, type Place, type Reading, type ReadOptions } from '../provider.ts';
import { locationOutput } from '../tools/location-output.ts';
import { provenance } from '../tools/provenance.ts';
import type { ToolSetup } from '../tools/tool-setup.ts';
import { currentOutput } from '../tools/weather-current.ts';
import { forecastOutput } from '../tools/weather-forecast.ts';
import { unitSystems } from '../units.ts';
import type { ResourceKind } from './weather-uri.ts';

export const RESOURCE_MIME_TYPE = 'application/json';
/** Days of a forecast resource. */
const FORECAST_DAYS = Math.min(7, MAX_FORECAST_DAYS);
/** Longest time for which clients may keep a resource: the interval of current weather. */
const MAX_TTL_MS = 900_000;

/** The document of a resource, and the reading that it comes from. */
export interface WeatherDocument {
  readonly document: object;
  readonly reading: Pick<Reading<unknown>, 'value' | 'freshForMs'>;
}

/** A resource of a place, or the alerts of an area. */
export type ResourceSubject =
  | { readonly kind: Exclude<ResourceKind, 'alerts'>; readonly place: Place }
  | { readonly kind: 'alerts'; readonly area: string };

/** Reads the document of a resource, in the default units. @throws WeatherError */
export async function readWeather(
  subject: ResourceSubject,
  { provider, defaultUnits }: ToolSetup,
  options: ReadOptions,
): Promise<WeatherDocument> {
  const system = unitSystems[defaultUnits];
  if (subject.kind === 'alerts') {
    const area = requireArea(subject.area);
    const reading = await provider.alerts({ area }, options);
    const { value: alerts, origin, cache } = reading;
    return { document: { area, alerts, ...provenance(provider, origin), cache }, reading };
  }
  const { place } = subject;
  const rest = ({ origin, cache }: Reading<unknown>) => ({
    units: system.labels,
    ...provenance(provider, origin),
    cache,
  });
  if (subject.kind === 'current') {
    const reading = await provider.current(place, options);
    const { value } = reading;
    const location = locationOutput(place, value.timezone);
    return { document: { location, ...currentOutput(value, system), ...rest(reading) }, reading };
  }
  const reading = await provider.forecast(place, { ...options, days: FORECAST_DAYS });
  const { value } = reading;
  const location = locationOutput(place, value.timezone);
  return { document: { location, ...forecastOutput(value, system), ...rest(reading) }, reading };
}

/** Returns the result of `resources/read`. Clients may keep it while the cache does. */
export function resourceResult(
  uri: string,
  { document, reading }: WeatherDocument,
): ReadResourceResult {
  return {
    contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: JSON.stringify(document) }],
    ttlMs: Math.round(Math.min(reading.freshForMs, MAX_TTL_MS)),
    cacheScope: 'public',
  };
}
