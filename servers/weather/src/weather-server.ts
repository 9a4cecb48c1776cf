import { packageVersion } from '@signalbox/server-kit';
import { createServer, type Server } from '@signalbox/mcp-core/server';
import type { WeatherProvider } from './provider.ts';
import { weatherCompare } from './tools/weather-compare.ts';
import { weatherCurrent } from './tools/weather-current.ts';
import { weatherForecast } from './tools/weather-forecast.ts';
import type { Units } from './units.ts';

export interface WeatherServerOptions {
  readonly provider: WeatherProvider;
  /** Of calls that name none; default `metric`. */
  readonly units?: Units;
}

/** An MCP server with the weather tools over one provider. */
export function createWeatherServer(options: WeatherServerOptions): Server {
  const { provider, units = 'metric' } = options;
  const setup = { provider, defaultUnits: units };
  return createServer({
    info: { name: 'signalbox-weather', title: 'Weather', version: packageVersion(import.meta.url) },
    ...(provider.demo ? { instructions: 'All weather of this server is made-up demonstration data. Say so when you use it.' } : {}),
    tools: [weatherCurrent(setup), weatherForecast(setup), weatherCompare(setup)],
  });
}
