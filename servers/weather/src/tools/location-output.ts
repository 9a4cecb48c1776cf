import { toCandidate } from '../location/resolve-location.ts';
import { MAX_LOCATION_LENGTH } from '../location/parse-location.ts';
import type { Place } from '../provider.ts';

export const locationInput = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_LOCATION_LENGTH,
  description:
    'City ("Berlin"), city with region or country ("Springfield, Illinois, US"), "latitude,longitude", or "geo:<id>" from an earlier answer.',
} as const;

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;

export const locationSchema = {
  type: 'object',
  properties: {
    id: text,
    name: text,
    admin1: text,
    admin2: text,
    country: text,
    latitude: number,
    longitude: number,
    timezone: text,
    precision: { enum: ['place', 'coordinates'] },
  },
  required: ['id', 'name', 'latitude', 'longitude', 'timezone', 'precision'],
} as const;

/** Returns the output for a place; `timezone` is the time zone of the weather. */
export function locationOutput(place: Place, timezone: string) {
  const { population: _choosing, ...candidate } = toCandidate(place);
  return { ...candidate, timezone: place.timezone ?? timezone, precision: place.precision };
}
