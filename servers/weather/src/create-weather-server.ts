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
import { planDayPrompt } from './prompts/plan-day.ts';
import { PlaceCompletion } from './resources/place-completion.ts';
import { ResourcePolls } from './resources/resource-polls.ts';
import { weatherTemplates, wmoCodesResource } from './resources/weather-resources.ts';
import { createTools } from './tools/create-tools.ts';
import type { Units } from './units.ts';

export interface WeatherServerOptions {
  readonly provider: WeatherProvider;
  /** Units of calls that name none; default `metric`. */
  readonly units?: Units;
  /** Keys that seal the request state of modern clients; default: a random key of this process. */
  readonly stateKeys?: readonly string[] | undefined;
  /** Interval of the polls for subscribed resources in milliseconds; default: when the cached value expires. */
  readonly pollMs?: number | undefined;
  /** Returns the milliseconds since the epoch; default the clock of this computer. */
  readonly now?: () => number;
  /** Destination of log lines. Default: warnings and errors to stderr. */
  readonly log?: Logger;
}

export interface WeatherServer {
  readonly server: Server;
  /** Ends the polls of subscribed resources. */
  close(): Promise<void>;
}

/** Creates an MCP server with the tools, resources and prompts of the weather for one provider. */
export function createWeatherServer(options: WeatherServerOptions): WeatherServer {
  const { provider, units = 'metric', stateKeys, pollMs, now = Date.now } = options;
  const { log = createLogger('warn') } = options;
  const setup = { provider, defaultUnits: units, now };
  const completion = new PlaceCompletion(provider);
  const polls = new ResourcePolls({
    setup,
    pollMs,
    onChange: (uri) => server.changes.resourceUpdated(uri),
    debug: (message) => log.debug(message),
  });
  const server: Server = createServer({
    info: { name: 'signalbox-weather', title: 'Weather', version: packageVersion(import.meta.url) },
    ...(provider.demo
      ? {
          instructions:
            'All weather of this server is made-up demonstration data. Say so when you use it.',
        }
      : {}),
    tools: createTools(setup),
    prompts: [planDayPrompt(completion)],
    resources: [wmoCodesResource()],
    templates: weatherTemplates(setup, completion),
    extensions: { middleware: [logCalls(log), limitResults()] },
    events: { onError: logErrors(log) },
    settings: {
      lists: { areFixed: true },
      resourceSubscriptions: (uri, context) => polls.subscribe(uri, context),
      requestState: { keys: stateKeys },
    },
  });
  const close = async (): Promise<void> => {
    await Promise.resolve(polls.close());
  };
  return { server, close };
}
