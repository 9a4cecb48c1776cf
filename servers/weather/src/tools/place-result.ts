import type { StructuredOutput } from '@signalbox/mcp-core/server';
import { candidateList, toCandidate } from '../location/resolve-location.ts';
import type { Place, Reading, WeatherProvider } from '../provider.ts';
import { locationOutput, locationSchema } from './location-output.ts';
import { cacheSchema, provenance, provenanceSchema, withProvenance } from './provenance.ts';

export interface PlaceAnswer {
  readonly provider: WeatherProvider;
  readonly place: Place;
  /** Other places of the same name. */
  readonly alternatives: readonly Place[];
  /** Time zone of the weather, IANA name. */
  readonly timezone: string;
  readonly weather: object;
  /** Units by field; default: none. */
  readonly units?: object;
  readonly text: string;
  readonly reading: Pick<Reading<unknown>, 'cache' | 'origin'>;
}

/** Returns the result of a tool for one place. */
export function placeResult(answer: PlaceAnswer): StructuredOutput {
  const { provider, place, alternatives, timezone, weather, units, text, reading } = answer;
  const { cache, origin } = reading;
  return {
    structuredContent: {
      location: locationOutput(place, timezone),
      ...weather,
      ...(units === undefined ? {} : { units }),
      ...(alternatives.length > 0 ? { alternatives: alternatives.map(toCandidate) } : {}),
      ...provenance(provider, origin),
      cache,
    },
    content: withProvenance(provider, text + alternativesText(alternatives), { origin, cache }),
  };
}

/** Returns the output schema of a tool for one place, whose weather has these properties. */
export function placeResultSchema(
  properties: { readonly [name: string]: unknown },
  required: readonly string[],
) {
  return {
    type: 'object',
    properties: {
      location: locationSchema,
      ...properties,
      units: { type: 'object' },
      alternatives: { type: 'array', items: { type: 'object' } },
      ...provenanceSchema,
      cache: cacheSchema,
    },
    required: ['location', ...required, 'source', 'attribution', 'demo', 'cache'],
  };
}

function alternativesText(alternatives: readonly Place[]): string {
  if (alternatives.length === 0) return '';
  return `\nOther places of this name: ${candidateList(alternatives)}.`;
}
