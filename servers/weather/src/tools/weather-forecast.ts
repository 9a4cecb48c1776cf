import { defineTool } from '@signalbox/mcp-core/server';
import { conditionsOf } from '../conditions.ts';
import { placeLabel, resolveOrAsk } from '../location/resolve-location.ts';
import { MAX_FORECAST_DAYS, type DailyWeather } from '../provider.ts';
import { unitSystems, type UnitLabels, type UnitSystem } from '../units.ts';
import { locationInput } from './location-output.ts';
import { placeResult, placeResultSchema } from './place-result.ts';
import {
  conditionsSchema,
  measured,
  nullableNumber,
  readsTheWorld,
  unitsInput,
  type ToolSetup,
} from './tool-setup.ts';

const defaultDays = 7;

export function weatherForecastTool(setup: ToolSetup) {
  const { provider, defaultUnits } = setup;
  return defineTool({
    name: 'weather_forecast',
    title: 'Weather forecast',
    description: 'The weather at a place day by day, today first.',
    inputSchema: {
      type: 'object',
      properties: {
        location: locationInput,
        days: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_FORECAST_DAYS,
          description: `Default ${defaultDays}.`,
        },
        units: unitsInput(setup),
      },
      required: ['location'],
      additionalProperties: false,
    },
    outputSchema,
    annotations: readsTheWorld,
    handler: async ({ location, days = defaultDays, units = defaultUnits }, context) => {
      const { place, alternatives } = await resolveOrAsk(location, provider, context);
      const { value: forecast, cache } = await provider.forecast(place, days, context.signal);
      const system = unitSystems[units];
      const daily = forecast.daily.map((day) => dayOutput(day, system));
      const text = [
        `${placeLabel(place)}, ${daily.length} days:`,
        ...daily.map((day) => dayText(day, system.labels)),
      ].join('\n');
      return placeResult({
        provider,
        place,
        alternatives,
        timezone: forecast.timezone,
        weather: { daily },
        units: system.labels,
        text,
        cache,
      });
    },
  });
}

const outputSchema = placeResultSchema(
  {
    daily: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          date: { type: 'string' },
          temperatureMax: nullableNumber,
          temperatureMin: nullableNumber,
          precipitation: nullableNumber,
          precipitationProbability: nullableNumber,
          wind: {
            type: 'object',
            properties: {
              speedMax: nullableNumber,
              gustsMax: nullableNumber,
              direction: nullableNumber,
            },
            required: ['speedMax', 'gustsMax', 'direction'],
          },
          conditions: conditionsSchema,
        },
        required: [
          'date',
          'temperatureMax',
          'temperatureMin',
          'precipitation',
          'wind',
          'conditions',
        ],
      },
    },
  },
  ['daily'],
);

function dayOutput(day: DailyWeather, system: UnitSystem) {
  return {
    date: day.date,
    temperatureMax: system.temperature(day.temperatureMax),
    temperatureMin: system.temperature(day.temperatureMin),
    precipitation: system.precipitation(day.precipitation),
    precipitationProbability: day.precipitationProbability,
    wind: {
      speedMax: system.windSpeed(day.windSpeedMax),
      gustsMax: system.windSpeed(day.windGustsMax),
      direction: day.windDirection,
    },
    conditions: conditionsOf(day.weatherCode),
  };
}

function dayText(day: ReturnType<typeof dayOutput>, labels: UnitLabels): string {
  return [
    `${day.date}: ${day.conditions.text}, ${measured(day.temperatureMin, labels.temperature)} to ${measured(day.temperatureMax, labels.temperature)},`,
    `precipitation ${measured(day.precipitation, labels.precipitation)} (${measured(day.precipitationProbability, '%')}),`,
    `wind up to ${measured(day.wind.speedMax, labels.windSpeed)}, gusts ${measured(day.wind.gustsMax, labels.windSpeed)}`,
  ].join(' ');
}
