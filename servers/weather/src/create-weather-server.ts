import { createServer, type Server } from '@signalbox/mcp-core/server';
import {
  createLogger,
  limitResults,
  logCalls,
  logErrors,
  packageVersion,
  type Logger,
} from '@signalbox/server-kit';
import type { WeatherProvider } from './provider.ts';
import { weatherCompareTool } from './tools/weather-compare.ts';
import { weatherCurrentTool } from './tools/weather-current.ts';
import { weatherForecastTool } from './tools/weather-forecast.ts';
import type { Units } from './units.ts';

export interface WeatherServerOptions {
  readonly provider: WeatherProvider;
  /** Units of calls that name none; default `metric`. */
  readonly units?: Units;
  /** Keys that seal the request state of modern clients; default: a random key of this process. */
  readonly stateKeys?: readonly string[] | undefined;
  /** Destination of log lines. Default: warnings and errors to stderr. */
  readonly log?: Logger;
}

/** Creates an MCP server with the weather tools for one provider. */
export function createWeatherServer(options: WeatherServerOptions): Server {
  const { provider, units = 'metric', stateKeys, log = createLogger('warn') } = options;
  const setup = { provider, defaultUnits: units };
  return createServer({
    info: { name: 'signalbox-weather', title: 'Weather', version: packageVersion(import.meta.url) },
    ...(provider.demo
      ? {
          instructions:
            'All weather of this server is made-up demonstration data. Say so when you use it.',
        }
      : {}),
    tools: [weatherCurrentTool(setup), weatherForecastTool(setup), weatherCompareTool(setup)],
    extensions: { middleware: [logCalls(log), limitResults()] },
    events: { onError: logErrors(log) },
    settings: { lists: { areFixed: true }, requestState: { keys: stateKeys } },
  });
}
