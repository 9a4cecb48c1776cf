import type { StructuredOutput } from '@signalbox/mcp-core/server';
import { candidateList, toCandidate } from '../location/resolve-location.ts';
import type { CacheState, Place, WeatherProvider } from '../provider.ts';
import type { UnitLabels } from '../units.ts';
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
  readonly units: UnitLabels;
  readonly text: string;
  readonly cache: CacheState;
}

/** Returns the result of a tool for one place. */
export function placeResult(answer: PlaceAnswer): StructuredOutput {
  const { provider, place, alternatives, timezone, weather, units, text, cache } = answer;
  return {
    structuredContent: {
      location: locationOutput(place, timezone),
      ...weather,
      units,
      ...(alternatives.length > 0 ? { alternatives: alternatives.map(toCandidate) } : {}),
      ...provenance(provider),
      cache,
    },
    content: withProvenance(provider, text + alternativesText(alternatives), cache),
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
      units: { type: 'object', additionalProperties: { type: 'string' } },
      alternatives: { type: 'array', items: { type: 'object' } },
      ...provenanceSchema,
      cache: cacheSchema,
    },
    required: ['location', ...required, 'units', 'source', 'attribution', 'demo', 'cache'],
  };
}

function alternativesText(alternatives: readonly Place[]): string {
  if (alternatives.length === 0) return '';
  return `\nOther places of this name: ${candidateList(alternatives)}.`;
}
