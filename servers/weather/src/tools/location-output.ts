import { toCandidate } from '../location/resolve-location.ts';
import { MAX_LOCATION_LENGTH } from '../location/parse-location.ts';
import type { Place } from '../provider.ts';

export const locationInput = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_LOCATION_LENGTH,
  description:
    'City, "city, region, country", postal code, address, "latitude,longitude", or "geo:<id>" of an earlier answer.',
} as const;

export const locationSchema = {
  type: 'object',
  description:
    'id, name, admin1, admin2, country, latitude, longitude, timezone, precision (place, locality, coordinates)',
  required: ['id', 'name', 'latitude', 'longitude', 'timezone', 'precision'],
} as const;

/** Returns the output for a place; `timezone` is the time zone of the weather. */
export function locationOutput(place: Place, timezone: string) {
  const { population: _choosing, ...candidate } = toCandidate(place);
  return { ...candidate, timezone: place.timezone ?? timezone, precision: place.precision };
}
