import { numberOf, recordOf, textOf } from '../http/json-value.ts';
import type { AirQuality, Place } from '../provider.ts';
import { observationTime, placeQuery, unknownShape } from './forecast.ts';

/** Pollutants of the service, all in micrograms per cubic meter. */
export const POLLUTANTS = [
  'pm2_5',
  'pm10',
  'ozone',
  'nitrogen_dioxide',
  'sulphur_dioxide',
  'carbon_monoxide',
] as const;

/** @see https://open-meteo.com/en/docs/air-quality-api */
export function airQualityQuery(place: Place): URLSearchParams {
  return placeQuery(place, { current: ['european_aqi', 'us_aqi', ...POLLUTANTS].join(',') });
}

/** @throws WeatherError `invalid-response` without current values and a time; single values may be missing. */
export function airQualityOf(document: unknown): AirQuality {
  const root = recordOf(document);
  const current = recordOf(root?.['current']);
  const observedAt = observationTime(root, current);
  if (root === undefined || current === undefined || observedAt === undefined)
    throw unknownShape('air quality');
  const units = recordOf(root['current_units']);
  const value = (name: string) => numberOf(current[name]) ?? null;
  return {
    observedAt,
    timezone: textOf(root['timezone']) ?? 'GMT',
    europeanAqi: value('european_aqi'),
    usAqi: value('us_aqi'),
    pollutants: Object.fromEntries(
      POLLUTANTS.map((name) => [
        name,
        { value: value(name), unit: textOf(units?.[name]) ?? 'μg/m³' },
      ]),
    ),
  };
}
