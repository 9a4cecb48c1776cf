import type { Place } from '../provider.ts';
import type { PlaceQuery } from './parse-location.ts';
import { usStates } from './us-states.ts';

export type Choice =
  | { readonly kind: 'found'; readonly place: Place; readonly alternatives: readonly Place[] }
  /** Most populous first. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Place[] }
  /** `elsewhere`: places of that name which the qualifiers rule out. */
  | { readonly kind: 'none'; readonly elsewhere: readonly Place[] };

/**
 * Decides which of a geocoder's places a name means. Places of exactly that name come before similar ones; one wins when it is the only one left
 * after the qualifiers, or has at least ten times the inhabitants of the next. An unknown population counts as 1000, and never wins.
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

function exactOrAll(name: string, places: readonly Place[]): readonly Place[] {
  const exact = places.filter((place) => fold(place.name) === fold(name));
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
]);

function matches(qualifier: string, place: Place): boolean {
  const folded = fold(qualifier);
  const countryCode = place.countryCode?.toLowerCase();
  if (countryCode !== undefined && (countryAliases.get(folded) ?? folded) === countryCode)
    return true;
  if (place.country !== undefined && fold(place.country) === folded) return true;
  const regions = place.regions.map((region) => fold(region));
  if (regions.includes(folded)) return true;
  return (
    countryCode === 'us' && usStates.get(folded)?.some((state) => regions.includes(state)) === true
  );
}

/** Without case, accents, dots and apostrophes, hyphens as spaces: "Saint-Étienne" and "saint etienne" are one name. */
function fold(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}|[.'’]/gu, '')
    .replaceAll(/[\s-]+/g, ' ')
    .trim()
    .toLowerCase();
}
