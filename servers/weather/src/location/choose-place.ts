import type { Place } from '../provider.ts';
import { fold } from './fold.ts';
import type { PlaceQuery } from './parse-location.ts';
import { regionsOfCode } from './region-codes.ts';

export type Choice =
  | { readonly kind: 'found'; readonly place: Place; readonly alternatives: readonly Place[] }
  /** Candidates, most populous first. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Place[] }
  /** No place; `elsewhere` has the places of that name that the qualifiers exclude. */
  | { readonly kind: 'none'; readonly elsewhere: readonly Place[] };

/**
 * Chooses the place that a name means from the results of a geocoder. Exact names come before
 * similar ones. A place is chosen when it is the only one that the qualifiers leave, or has at
 * least ten times the inhabitants of the next. An unknown population counts as 1000, and is never
 * chosen for its size.
 */
export function choosePlace(query: PlaceQuery, places: readonly Place[]): Choice {
  const named = byPopulation(exactOrAll(query.name, places));
  const matching = byPopulation(
    exactOrAll(
      query.name,
      places.filter((place) => query.qualifiers.every((qualifier) => matches(qualifier, place))),
    ),
  );
  const [first, second] = matching;
  if (first === undefined) return { kind: 'none', elsewhere: named };
  const clear =
    second === undefined ||
    (first.population ?? 0) >= dominance * (second.population ?? assumedPopulation);
  return clear
    ? { kind: 'found', place: first, alternatives: matching.slice(1) }
    : { kind: 'ambiguous', candidates: matching };
}

const dominance = 10;
const assumedPopulation = 1000;

/** Returns the places of exactly this name, without regard to case, accents and hyphens. */
export function placesNamed(name: string, places: readonly Place[]): readonly Place[] {
  return places.filter((place) => fold(place.name) === fold(name));
}

function exactOrAll(name: string, places: readonly Place[]): readonly Place[] {
  const exact = placesNamed(name, places);
  return exact.length > 0 ? exact : places;
}

function byPopulation(places: readonly Place[]): readonly Place[] {
  return places.toSorted((a, b) => (b.population ?? 0) - (a.population ?? 0));
}

const countryAliases: ReadonlyMap<string, string> = new Map([
  ['usa', 'us'],
  ['america', 'us'],
  ['united states of america', 'us'],
  ['uk', 'gb'],
  ['great britain', 'gb'],
  ['uae', 'ae'],
  ['turkey', 'tr'],
  ['turkiye', 'tr'],
  ['czechia', 'cz'],
  ['czech republic', 'cz'],
  ['holland', 'nl'],
  ['the netherlands', 'nl'],
]);

function matches(qualifier: string, place: Place): boolean {
  const folded = fold(qualifier);
  const countryCode = place.countryCode?.toLowerCase();
  if (countryCode !== undefined && (countryAliases.get(folded) ?? folded) === countryCode)
    return true;
  if (place.country !== undefined && fold(place.country) === folded) return true;
  const regions = place.regions.map((region) => fold(region));
  if (regions.includes(folded)) return true;
  return regionsOfCode(countryCode, folded).some((region) => regions.includes(region));
}
