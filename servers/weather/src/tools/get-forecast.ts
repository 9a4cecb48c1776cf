import { defineTool, type StructuredOutput } from '@signalbox/mcp-core/server';
import { placeAt } from '../location/resolve-location.ts';
import { cacheSchema, provenance, provenanceSchema, withProvenance } from './provenance.ts';
import { readsTheWorld, type ToolSetup } from './tool-setup.ts';

export function getForecastTool({ provider }: ToolSetup) {
  return defineTool({
    name: 'get_forecast',
    title: 'Forecast in words',
    description:
      'The forecast for coordinates in words: of the National Weather Service in the United States, else of Open-Meteo. weather_forecast has numbers and place names.',
    inputSchema: {
      type: 'object',
      properties: {
        latitude: { type: 'number', minimum: -90, maximum: 90 },
        longitude: { type: 'number', minimum: -180, maximum: 180 },
      },
      required: ['latitude', 'longitude'],
      additionalProperties: false,
    },
    outputSchema,
    annotations: readsTheWorld,
    handler: async ({ latitude, longitude }, context): Promise<StructuredOutput> => {
      const place = placeAt(latitude, longitude);
      const { value, cache, origin } = await provider.periods(place, { signal: context.signal });
      const text = value
        .map((period) =>
          [
            `${period.name}:`,
            `Temperature: ${period.temperature ?? 'unknown'} °${period.temperatureUnit}`,
            `Wind: ${period.windSpeed} ${period.windDirection}`,
            `Forecast: ${period.detailedForecast || period.shortForecast}`,
          ].join('\n'),
        )
        .join('\n---\n');
      const structuredContent = {
        periods: value,
        provider: origin.source,
        ...provenance(provider, origin),
        cache,
      };
      return {
        structuredContent,
        content: withProvenance(provider, `Forecast for ${latitude}, ${longitude}:\n\n${text}`, {
          origin,
          cache,
        }),
      };
    },
  });
}

const outputSchema = {
  type: 'object',
  properties: {
    periods: {
      type: 'array',
      description:
        'name, startTime, isDaytime, temperature, temperatureUnit, windSpeed, windDirection, shortForecast, detailedForecast',
      items: { type: 'object' },
    },
    provider: { type: 'string' },
    ...provenanceSchema,
    cache: cacheSchema,
  },
  required: ['periods', 'provider', 'source', 'attribution', 'demo', 'cache'],
};
