import { defineTool } from '@signalbox/mcp-core/server';
import { placeLabel, resolveOrAsk } from '../location/resolve-location.ts';
import { europeanCategory, usCategory } from './air-quality-categories.ts';
import { locationInput } from './location-output.ts';
import { placeResult, placeResultSchema } from './place-result.ts';
import { measured, nullableNumber, readsTheWorld, type ToolSetup } from './tool-setup.ts';

const text = { type: 'string' } as const;

export function airQualityTool({ provider }: ToolSetup) {
  return defineTool({
    name: 'air_quality',
    title: 'Air quality',
    description: 'The air quality at a place now: European and US index, and pollutants.',
    inputSchema: {
      type: 'object',
      properties: { location: locationInput },
      required: ['location'],
      additionalProperties: false,
    },
    outputSchema: placeResultSchema(
      {
        observedAt: text,
        european_aqi: nullableNumber,
        us_aqi: nullableNumber,
        category: { type: 'object', properties: { european: text, us: text } },
        pollutants: {
          type: 'object',
          description: 'By name, such as pm2_5 and pm10',
          additionalProperties: {
            type: 'object',
            properties: { value: nullableNumber, unit: text },
            required: ['value', 'unit'],
          },
        },
      },
      ['observedAt', 'european_aqi', 'us_aqi', 'category', 'pollutants'],
    ),
    annotations: readsTheWorld,
    handler: async ({ location }, context) => {
      const { place, alternatives } = await resolveOrAsk(location, provider, context);
      const reading = await provider.airQuality(place, { signal: context.signal });
      const { observedAt, timezone, europeanAqi, usAqi, pollutants } = reading.value;
      const category = { european: europeanCategory(europeanAqi), us: usCategory(usAqi) };
      const levels = Object.entries(pollutants).map(
        ([name, { value, unit }]) => `${name} ${measured(value, unit)}`,
      );
      return placeResult({
        provider,
        place,
        alternatives,
        timezone,
        weather: { observedAt, european_aqi: europeanAqi, us_aqi: usAqi, category, pollutants },
        text: `${placeLabel(place)}, ${observedAt}: European index ${europeanAqi ?? 'unknown'} (${category.european}), US index ${usAqi ?? 'unknown'} (${category.us}); ${levels.join(', ')}.`,
        reading,
      });
    },
  });
}
