import { defineTool } from '@signalbox/mcp-core/server';
import { conditionsOf } from '../conditions.ts';
import { placeLabel, resolveOrAsk } from '../location/resolve-location.ts';
import type { CurrentWeather } from '../provider.ts';
import { unitSystems, type UnitSystem } from '../units.ts';
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

export function weatherCurrentTool(setup: ToolSetup) {
  const { provider, defaultUnits } = setup;
  return defineTool({
    name: 'weather_current',
    title: 'Current weather',
    description: 'The weather at a place now.',
    inputSchema: {
      type: 'object',
      properties: { location: locationInput, units: unitsInput(setup) },
      required: ['location'],
      additionalProperties: false,
    },
    outputSchema,
    annotations: readsTheWorld,
    handler: async ({ location, units = defaultUnits }, context) => {
      const { place, alternatives } = await resolveOrAsk(location, provider, context);
      const reading = await provider.current(place, { signal: context.signal });
      const weather = reading.value;
      const system = unitSystems[units];
      const current = currentOutput(weather, system);
      const { labels } = system;
      const text = [
        `${placeLabel(place)}, ${current.observedAt}: ${current.conditions.text}, ${measured(current.temperature, labels.temperature)}`,
        `(feels like ${measured(current.apparentTemperature, labels.temperature)}), humidity ${measured(current.humidity, '%')},`,
        `wind ${measured(current.wind.speed, labels.windSpeed)} from ${measured(current.wind.direction, '°')}, gusts ${measured(current.wind.gusts, labels.windSpeed)},`,
        `precipitation ${measured(current.precipitation, labels.precipitation)}, pressure ${measured(current.pressure, labels.pressure)}, clouds ${measured(current.cloudCover, '%')}.`,
      ].join(' ');
      return placeResult({
        provider,
        place,
        alternatives,
        timezone: weather.timezone,
        weather: current,
        units: labels,
        text,
        reading,
      });
    },
  });
}

const outputSchema = placeResultSchema(
  {
    observedAt: { type: 'string' },
    temperature: nullableNumber,
    apparentTemperature: nullableNumber,
    humidity: nullableNumber,
    wind: {
      type: 'object',
      properties: { speed: nullableNumber, direction: nullableNumber, gusts: nullableNumber },
      required: ['speed', 'direction', 'gusts'],
    },
    precipitation: nullableNumber,
    pressure: nullableNumber,
    cloudCover: nullableNumber,
    conditions: conditionsSchema,
  },
  ['observedAt', 'temperature', 'wind', 'conditions', 'units'],
);

/** Returns the values of the current weather in the units of `system`. */
export function currentOutput(weather: CurrentWeather, system: UnitSystem) {
  return {
    observedAt: weather.observedAt,
    temperature: system.temperature(weather.temperature),
    apparentTemperature: system.temperature(weather.apparentTemperature),
    humidity: weather.humidity,
    wind: {
      speed: system.windSpeed(weather.windSpeed),
      direction: weather.windDirection,
      gusts: system.windSpeed(weather.windGusts),
    },
    precipitation: system.precipitation(weather.precipitation),
    pressure: weather.pressure,
    cloudCover: weather.cloudCover,
    conditions: conditionsOf(weather.weatherCode, weather.conditions),
  };
}
