import { defineTool, type StructuredOutput } from '@signalbox/mcp-core/server';
import { parseLocation, MAX_LOCATION_LENGTH } from '../location/parse-location.ts';
import { candidateList, toCandidate } from '../location/resolve-location.ts';
import { WeatherError } from '../weather-error.ts';
import { provenance, provenanceSchema, withProvenance } from './provenance.ts';
import { readsTheWorld, type ToolSetup } from './tool-setup.ts';

const DEFAULT_COUNT = 10;

export function searchLocationTool({ provider }: ToolSetup) {
  return defineTool({
    name: 'search_location',
    title: 'Search places',
    description:
      'Finds places by name or postal code, most populous first. The id of a result is a location for the other tools.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: MAX_LOCATION_LENGTH },
        country: {
          type: 'string',
          minLength: 2,
          maxLength: 2,
          description: 'ISO 3166-1 alpha-2, such as DE',
        },
        count: {
          type: 'integer',
          minimum: 1,
          maximum: 20,
          description: `Default ${DEFAULT_COUNT}.`,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    outputSchema,
    annotations: readsTheWorld,
    handler: async (
      { query, country, count = DEFAULT_COUNT },
      context,
    ): Promise<StructuredOutput> => {
      const parsed = parseLocation(query);
      if (parsed.kind !== 'name')
        throw new WeatherError(
          'invalid-arguments',
          'query is the name or the postal code of a place; coordinates and ids are locations of the other tools already.',
        );
      const found = await provider.findPlaces(parsed.name, context.signal);
      const places = found
        .filter(
          (place) =>
            country === undefined || place.countryCode?.toUpperCase() === country.toUpperCase(),
        )
        .toSorted((a, b) => (b.population ?? 0) - (a.population ?? 0))
        .slice(0, count);
      const text =
        places.length === 0
          ? `No place named "${parsed.name}" was found${country === undefined ? '' : ` in ${country}`}. Check the spelling, or try a larger town nearby.`
          : candidateList(places);
      return {
        structuredContent: { results: places.map(toCandidate), ...provenance(provider) },
        content: withProvenance(provider, text),
      };
    },
  });
}

const outputSchema = {
  type: 'object',
  properties: {
    results: {
      type: 'array',
      description: 'id, name, admin1, admin2, country, latitude, longitude, population',
      items: { type: 'object' },
    },
    ...provenanceSchema,
  },
  required: ['results', 'source', 'attribution', 'demo'],
};
