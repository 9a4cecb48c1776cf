import { defineTool } from '@signalbox/mcp-core/server';
import { conditionsOf } from '../conditions.ts';
import { placeLabel, resolveOrAsk } from '../location/resolve-location.ts';
import {
  MAX_FORECAST_DAYS,
  type DailyWeather,
  type Forecast,
  type HourlyWeather,
} from '../provider.ts';
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
    description: 'The weather at a place day by day, today first, and on request hour by hour.',
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
        hourly: { type: 'boolean', description: 'Adds hours. Default false.' },
        units: unitsInput(setup),
      },
      required: ['location'],
      additionalProperties: false,
    },
    outputSchema,
    annotations: readsTheWorld,
    handler: async (
      { location, days = defaultDays, hourly = false, units = defaultUnits },
      context,
    ) => {
      const { place, alternatives } = await resolveOrAsk(location, provider, context);
      const reading = await provider.forecast(place, { days, hourly, signal: context.signal });
      const forecast = reading.value;
      const system = unitSystems[units];
      const { daily, ...hours } = forecastOutput(forecast, system);
      const text = [
        `${placeLabel(place)}, ${daily.length} days:`,
        ...daily.map((day) => dayText(day, system.labels)),
      ].join('\n');
      return placeResult({
        provider,
        place,
        alternatives,
        timezone: forecast.timezone,
        weather: { daily, ...hours },
        units: system.labels,
        text,
        reading,
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
    hourly: {
      type: 'array',
      description:
        'time (with offset), temperature, precipitation, precipitationProbability, windSpeed, conditions',
      items: { type: 'object' },
    },
  },
  ['daily', 'units'],
);

/** Returns the days, and the hours if there are any, in the units of `system`. */
export function forecastOutput({ daily, hourly }: Forecast, system: UnitSystem) {
  return {
    daily: daily.map((day) => dayOutput(day, system)),
    ...(hourly === undefined ? {} : { hourly: hourly.map((hour) => hourOutput(hour, system)) }),
  };
}

function hourOutput(hour: HourlyWeather, system: UnitSystem) {
  return {
    time: hour.time,
    temperature: system.temperature(hour.temperature),
    precipitation: system.precipitation(hour.precipitation),
    precipitationProbability: hour.precipitationProbability,
    windSpeed: system.windSpeed(hour.windSpeed),
    conditions: conditionsOf(hour.weatherCode, hour.conditions).text,
  };
}

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
    conditions: conditionsOf(day.weatherCode, day.conditions),
  };
}

function dayText(day: ReturnType<typeof dayOutput>, labels: UnitLabels): string {
  return [
    `${day.date}: ${day.conditions.text}, ${measured(day.temperatureMin, labels.temperature)} to ${measured(day.temperatureMax, labels.temperature)},`,
    `precipitation ${measured(day.precipitation, labels.precipitation)} (${measured(day.precipitationProbability, '%')}),`,
    `wind up to ${measured(day.wind.speedMax, labels.windSpeed)}, gusts ${measured(day.wind.gustsMax, labels.windSpeed)}`,
  ].join(' ');
}
