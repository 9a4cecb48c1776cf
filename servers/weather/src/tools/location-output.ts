import { placeLabel, toCandidate } from '../location/resolve-location.ts';
import { MAX_LOCATION_LENGTH } from '../location/parse-location.ts';
import type { Place } from '../provider.ts';

export const locationInput = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_LOCATION_LENGTH,
  description: 'City ("Berlin"), city with region or country ("Springfield, Illinois, US"), "latitude,longitude", or "geo:<id>" from an earlier answer.',
} as const;

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;

export const locationSchema = {
  type: 'object',
  properties: {
    id: text,
    name: text,
    admin1: text,
    country: text,
    latitude: number,
    longitude: number,
    timezone: text,
    precision: { enum: ['place', 'coordinates'] },
  },
  required: ['id', 'name', 'latitude', 'longitude', 'timezone', 'precision'],
} as const;

export const alternativesSchema = { type: 'array', items: { type: 'object' } } as const;

/** `timezone` is what the weather's times are in. */
export function locationOutput(place: Place, timezone: string) {
  const { latitude, longitude, precision } = place;
  return { ...toCandidate(place), latitude, longitude, timezone: place.timezone ?? timezone, precision };
}

/** Nothing when no other place has the name. */
export function alternativesOutput(alternatives: readonly Place[]) {
  return alternatives.length > 0 ? { alternatives: alternatives.map(toCandidate) } : {};
}

export function alternativesText(alternatives: readonly Place[]): string {
  if (alternatives.length === 0) return '';
  return `\nOther places of this name: ${alternatives.map((place) => `${place.id} (${placeLabel(place)})`).join('; ')}.`;
}
