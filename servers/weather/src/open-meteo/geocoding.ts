import { listOf, numberOf, recordOf, textOf } from '../http/json-value.ts';
import type { Place } from '../provider.ts';
import { WeatherError } from '../weather-error.ts';

/** Maximum number of results of the service. */
const maxPlaces = 100;

/** @see https://open-meteo.com/en/docs/geocoding-api */
export function searchQuery(name: string): URLSearchParams {
  return new URLSearchParams({ name, count: String(maxPlaces), language: 'en', format: 'json' });
}

/**
 * Returns the populated places of a search response, or all places if none is marked as populated;
 * each place once.
 * @throws WeatherError `invalid-response`
 */
export function placesOf(document: unknown): readonly Place[] {
  const results = recordOf(document)?.['results'];
  if (recordOf(document) === undefined || (results !== undefined && !Array.isArray(results))) {
    throw new WeatherError(
      'invalid-response',
      'The geocoding service answered with JSON of an unknown shape.',
    );
  }
  const found = listOf(results)
    .slice(0, maxPlaces)
    .flatMap((result) => {
      const place = placeOf(result);
      return place === undefined ? [] : [{ place, populated: isPopulated(result) }];
    });
  const populated = found.filter((result) => result.populated);
  const places = (populated.length > 0 ? populated : found).map((result) => result.place);
  return [...new Map(places.map((place) => [place.id, place])).values()];
}

/**
 * Returns a place of a geocoding document; `undefined` without a usable id, name and coordinates.
 */
export function placeOf(result: unknown): Place | undefined {
  const record = recordOf(result);
  const id = numberOf(record?.['id']);
  const name = textOf(record?.['name']);
  const latitude = numberOf(record?.['latitude']);
  const longitude = numberOf(record?.['longitude']);
  if (
    record === undefined ||
    id === undefined ||
    name === undefined ||
    latitude === undefined ||
    longitude === undefined
  )
    return undefined;
  if (!Number.isInteger(id) || Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
    return undefined;
  const regions = ['admin1', 'admin2', 'admin3', 'admin4'].flatMap(
    (key) => textOf(record[key]) ?? [],
  );
  const admin1 = textOf(record['admin1']);
  const admin2 = textOf(record['admin2']);
  const country = textOf(record['country']);
  const countryCode = textOf(record['country_code']);
  const timezone = textOf(record['timezone']);
  const population = inhabitants(numberOf(record['population']));
  return {
    id: `geo:${id}`,
    name,
    ...(admin1 === undefined ? {} : { admin1 }),
    ...(admin2 === undefined ? {} : { admin2 }),
    ...(country === undefined ? {} : { country }),
    ...(countryCode === undefined ? {} : { countryCode }),
    regions,
    latitude,
    longitude,
    ...(timezone === undefined ? {} : { timezone }),
    ...(population === undefined ? {} : { population }),
    precision: 'place',
  };
}

function inhabitants(count: number | undefined): number | undefined {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/**
 * Whether a result is a populated place, whose GeoNames code begins with PPL. @see
 * https://www.geonames.org/export/codes.html
 */
function isPopulated(result: unknown): boolean {
  return textOf(recordOf(result)?.['feature_code'])?.startsWith('PPL') ?? true;
}
