import { WeatherError } from '../weather-error.ts';
import { readNotation } from './coordinate-notation.ts';

export type LocationQuery =
  | { readonly kind: 'coordinates'; readonly latitude: number; readonly longitude: number }
  | { readonly kind: 'id'; readonly id: number }
  | PlaceQuery;

/** A name with qualifiers: "Springfield, Illinois, US" has two. */
export interface PlaceQuery {
  readonly kind: 'name';
  readonly name: string;
  readonly qualifiers: readonly string[];
}

export const MAX_LOCATION_LENGTH = 200;

/**
 * Parses a location: `latitude,longitude` or another notation of coordinates, `geo:<number>`, a name,
 * or a name with comma-separated qualifiers.
 * @throws WeatherError `invalid-location`
 */
export function parseLocation(text: string): LocationQuery {
  const trimmed = text.normalize('NFC').trim();
  if (trimmed === '') throw invalid('location is empty');
  if (trimmed.length > MAX_LOCATION_LENGTH)
    throw invalid(`location is longer than ${MAX_LOCATION_LENGTH} characters`);
  if (/\p{Cc}/u.test(trimmed)) throw invalid('location contains control characters');
  const bare = withoutBrackets(trimmed);
  return coordinates(bare) ?? markedCoordinates(bare) ?? placeId(trimmed) ?? placeName(trimmed);
}

const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+|nan|inf|infinity)(?:e[+-]?\d+)?$/i;

/** Returns the text inside the brackets around a text. */
function withoutBrackets(text: string): string {
  return /^[([]([^()[\]]*)[)\]]$/.exec(text)?.[1]?.trim() ?? text;
}

function coordinates(text: string): LocationQuery | undefined {
  const parts = text
    .replaceAll('\u2212', '-')
    .split(',')
    .map((part) => part.trim());
  const [latitude, longitude] = parts;
  if (parts.length !== 2 || latitude === undefined || longitude === undefined) return undefined;
  if (!number.test(latitude) || !number.test(longitude)) return undefined;
  return {
    kind: 'coordinates',
    latitude: inRange('latitude', latitude, 90),
    longitude: inRange('longitude', longitude, 180),
  };
}

function markedCoordinates(text: string): LocationQuery | undefined {
  const found = readNotation(text);
  if (found === undefined) return undefined;
  return {
    kind: 'coordinates',
    latitude: inRange('latitude', String(found.latitude), 90),
    longitude: inRange('longitude', String(found.longitude), 180),
  };
}

function inRange(what: string, text: string, limit: number): number {
  const value = Number(text);
  if (Math.abs(value) <= limit) return value;
  throw invalid(`${what} ${text} is not between -${limit} and ${limit}`);
}

function placeId(text: string): LocationQuery | undefined {
  if (!/^geo:/i.test(text)) return undefined;
  const digits = /^geo:(\d{1,12})$/i.exec(text)?.[1];
  if (digits === undefined) throw invalid(`"${text}" is not geo: and a number`);
  return { kind: 'id', id: Number(digits) };
}

function placeName(text: string): PlaceQuery {
  const [name = '', ...qualifiers] = text
    .split(',')
    .map((part) => part.trim().replaceAll(/\s+/g, ' '));
  if (!/[\p{L}\p{N}]/u.test(name))
    throw invalid(`"${text}" does not start with the name of a place`);
  return { kind: 'name', name, qualifiers: qualifiers.filter((qualifier) => qualifier !== '') };
}

function invalid(problem: string): WeatherError {
  return new WeatherError(
    'invalid-location',
    `${problem}. Give a city ("Berlin"), a city with its region or country ("Springfield, Illinois, US"), "latitude,longitude", or "geo:<id>" from an earlier answer.`,
  );
}
