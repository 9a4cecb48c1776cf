import type { InteractiveContext } from '@signalbox/mcp-core/server';
import type { Place, WeatherProvider } from '../provider.ts';
import { WeatherError, type Candidate } from '../weather-error.ts';
import { choosePlace, placesNamed } from './choose-place.ts';
import { localityOf } from './locality.ts';
import { parseLocation, type PlaceQuery } from './parse-location.ts';

export type Resolution =
  | { readonly kind: 'found'; readonly place: Place; readonly alternatives: readonly Place[] }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly Place[] };

const maxCandidates = 10;
const maxAlternatives = 5;

/**
 * Returns the place that a location means, without asking the user.
 * @throws WeatherError `invalid-location` before any request, `unknown-place`, or what the provider throws.
 */
export async function resolveLocation(
  text: string,
  provider: WeatherProvider,
  signal: AbortSignal,
): Promise<Resolution> {
  const query = parseLocation(text);
  switch (query.kind) {
    case 'coordinates':
      return found(placeAt(query.latitude, query.longitude));
    case 'id': {
      const place = await provider.findPlaceById(query.id, signal);
      if (place === undefined)
        throw new WeatherError(
          'unknown-place',
          `There is no place geo:${query.id}. Give the name of the city instead.`,
        );
      return found(place);
    }
    case 'name': {
      const choice = await findNamed(query, provider, signal);
      if (choice.kind === 'none') throw unknownPlace(query, choice.elsewhere, provider);
      if (choice.kind === 'found')
        return { ...choice, alternatives: choice.alternatives.slice(0, maxAlternatives) };
      return { ...choice, candidates: choice.candidates.slice(0, maxCandidates) };
    }
  }
}

/**
 * Finds the place of a name, or the locality of a street address, which the geocoder does not know.
 * The name of a place can look like an address, such as "100 Mile House, British Columbia".
 */
async function findNamed(
  query: PlaceQuery,
  provider: WeatherProvider,
  signal: AbortSignal,
): Promise<ReturnType<typeof choosePlace>> {
  const locality = localityOf(query);
  const named = await provider.findPlaces(query.name, signal);
  if (locality === undefined) return choosePlace(query, named);
  const choice = choosePlace(query, placesNamed(query.name, named));
  if (choice.kind !== 'none') return choice;
  const places = await provider.findPlaces(locality.name, signal);
  return choosePlace(
    locality,
    places.map((place) => ({ ...place, precision: 'locality' })),
  );
}

/**
 * Returns the place that a location means; asks the user to choose among equally likely places if
 * the client supports it.
 * @throws WeatherError as `resolveLocation`, `ambiguous-place` with candidates for a client without
 * form elicitation, `choice-declined`.
 */
export async function resolveOrAsk(
  text: string,
  provider: WeatherProvider,
  context: InteractiveContext,
): Promise<Extract<Resolution, { kind: 'found' }>> {
  const resolution = await resolveLocation(text, provider, context.signal);
  if (resolution.kind === 'found') return resolution;
  const { candidates } = resolution;
  if (!context.client.can('elicitation.form')) throw ambiguousPlace(text, candidates);
  const labels = placeLabels(candidates);
  const answer = await context.elicit('place', {
    message: `Which place does "${text.trim()}" mean?`,
    requestedSchema: {
      type: 'object',
      properties: {
        place: {
          type: 'string',
          title: 'Place',
          oneOf: candidates.map((place, index) => ({
            const: place.id,
            title: labels[index] ?? place.id,
          })),
        },
      },
      required: ['place'],
    },
  });
  const chosen = candidates.find((place) => place.id === answer.content?.['place']);
  if (answer.action !== 'accept' || chosen === undefined) {
    throw new WeatherError(
      'choice-declined',
      `"${text.trim()}" means several places and none was chosen. Ask which one is meant; do not pick one.`,
    );
  }
  return {
    kind: 'found',
    place: chosen,
    alternatives: candidates.filter((place) => place !== chosen).slice(0, maxAlternatives),
  };
}

export function ambiguousPlace(text: string, candidates: readonly Place[]): WeatherError {
  return new WeatherError(
    'ambiguous-place',
    `"${text.trim()}" means several places. Call again with one of these as location: ${candidateList(candidates)}.`,
    { candidates: candidates.map(toCandidate) },
  );
}

/** Returns the label of a place, such as "Springfield, Illinois, United States". */
export function placeLabel(place: Place): string {
  return joinParts([place.name, place.admin1, place.country]);
}

/**
 * Returns the label of each place, in order. Places with the same label also get the district and,
 * if still equal, their coordinates and inhabitants: "Newtown, Kent County, Testshire, Testland
 * (51.2, 0.5; 4,100 inhabitants)".
 */
export function placeLabels(places: readonly Place[]): readonly string[] {
  const withDistricts = unlessAlone(places, placeLabel, (place) =>
    joinParts([place.name, place.admin2, place.admin1, place.country]),
  );
  return unlessAlone(
    places,
    (_place, index) => withDistricts[index] ?? '',
    (place, index) => `${withDistricts[index]} (${whereabouts(place)})`,
  );
}

type Label = (place: Place, index: number) => string;

/**
 * Returns the short label of each place, or the long label if several places share the short one.
 */
function unlessAlone(places: readonly Place[], short: Label, long: Label): readonly string[] {
  const labels = places.map(short);
  return places.map((place, index) => {
    const label = labels[index] ?? '';
    return labels.indexOf(label) === labels.lastIndexOf(label) ? label : long(place, index);
  });
}

function whereabouts({ latitude, longitude, population }: Place): string {
  const coordinates = `${latitude}, ${longitude}`;
  return population === undefined
    ? coordinates
    : `${coordinates}; ${population.toLocaleString('en')} inhabitants`;
}

function joinParts(parts: readonly (string | undefined)[]): string {
  return parts.filter((part, index) => part !== undefined && part !== parts[index - 1]).join(', ');
}

export function toCandidate(place: Place): Candidate {
  const { id, name, admin1, admin2, country, latitude, longitude, population } = place;
  return {
    id,
    name,
    ...(admin1 === undefined ? {} : { admin1 }),
    ...(admin2 === undefined ? {} : { admin2 }),
    ...(country === undefined ? {} : { country }),
    latitude,
    longitude,
    ...(population === undefined ? {} : { population }),
  };
}

function found(place: Place): Resolution {
  return { kind: 'found', place, alternatives: [] };
}

/** Returns the place of coordinates. */
export function placeAt(latitude: number, longitude: number): Place {
  const id = `${latitude},${longitude}`;
  return { id, name: id, regions: [], latitude, longitude, precision: 'coordinates' };
}

function unknownPlace(
  query: PlaceQuery,
  elsewhere: readonly Place[],
  provider: WeatherProvider,
): WeatherError {
  const candidates = elsewhere.slice(0, maxCandidates);
  const where = query.qualifiers.length > 0 ? ` in ${query.qualifiers.join(', ')}` : '';
  const remedies = [
    ...(candidates.length > 0 ? [`Elsewhere there are: ${candidateList(candidates)}.`] : []),
    ...(provider.placeNames === undefined
      ? []
      : [`The available places are: ${provider.placeNames.join(', ')}.`]),
  ];
  if (remedies.length === 0)
    remedies.push(
      'Check the spelling, try the English name or a larger town nearby, or give "latitude,longitude".',
    );
  return new WeatherError(
    'unknown-place',
    `No place named "${query.name}"${where} was found. ${remedies.join(' ')}`,
    { candidates: candidates.map(toCandidate) },
  );
}

/**
 * Returns a list of candidates, such as "geo:1 (Springfield, Missouri, United States); geo:2 (…)".
 */
export function candidateList(places: readonly Place[]): string {
  const labels = placeLabels(places);
  return places.map((place, index) => `${place.id} (${labels[index]})`).join('; ');
}
