import {
  choiceOption,
  defineServerMain,
  integerOption,
  packageVersion,
  requestStateKeys,
  UsageError,
} from '@signalbox/server-kit';
import { createWeatherServer } from './create-weather-server.ts';
import { createDemoProvider } from './demo/demo-provider.ts';
import { createOpenMeteoProvider } from './open-meteo/open-meteo-provider.ts';
import { UNITS } from './units.ts';

const usage = `Usage: signalbox-weather [options]

An MCP server: current weather, forecasts and comparisons from Open-Meteo, no key needed.
The free tier of Open-Meteo is for non-commercial use; its data is licensed CC BY 4.0 and has to be attributed
(every result carries the attribution). See https://open-meteo.com/en/terms

Environment:
  WEATHER_OPEN_METEO_URL  base URL of the forecast service (default https://api.open-meteo.com)
  WEATHER_GEOCODING_URL   base URL of the geocoding service (default https://geocoding-api.open-meteo.com)
  MCP_STATE_KEY           keys that seal an elicitation about an ambiguous place: the current key, then older keys, comma-separated (default: a random key of this process)

Options:
  --demo                  made-up weather of a few cities instead of Open-Meteo; no network is used
  --demo-delay-ms N       delay of each made-up answer, 0 to 60000 ms (default 150)
  --units UNITS           metric, imperial or kelvin, for calls without units (default metric)
  --timeout-ms N          limit of one request, 100 to 60000 ms; with retries 1.5 times as much (default 10000)
  --max-concurrency N     concurrent requests, 1 to 5 (default 2)
`;

const name = 'signalbox-weather';
const version = packageVersion(import.meta.url);

export const command = defineServerMain({
  name,
  version,
  usage,
  envPrefix: 'MCP_WEATHER',
  options: {
    demo: { type: 'boolean' },
    'demo-delay-ms': { type: 'string' },
    units: { type: 'string' },
    'timeout-ms': { type: 'string' },
    'max-concurrency': { type: 'string' },
  },
  start: async ({ values, positionals, env, log }) => {
    if (positionals.length > 0)
      throw new UsageError(`unexpected argument ${JSON.stringify(positionals[0])}`);
    const units = choiceOption(values, 'units', { choices: UNITS, default: 'metric' });
    const maxConcurrency = integerOption(values, 'max-concurrency', { min: 1, max: 5, default: 2 });
    const timeoutMs = integerOption(values, 'timeout-ms', {
      min: 100,
      max: 60_000,
      default: 10_000,
    });
    const delayMs = integerOption(values, 'demo-delay-ms', { min: 0, max: 60_000, default: 150 });
    const forecastUrl = baseUrl(env, 'WEATHER_OPEN_METEO_URL');
    const geocodingUrl = baseUrl(env, 'WEATHER_GEOCODING_URL');
    const stateKeys = requestStateKeys(env);
    if (values.demo === true)
      return {
        server: createWeatherServer({
          provider: createDemoProvider({ delayMs, maxConcurrency }),
          units,
          stateKeys,
          log,
        }),
      };
    const provider = createOpenMeteoProvider({
      userAgent: `${name}/${version}`,
      ...(forecastUrl === undefined ? {} : { forecastUrl }),
      ...(geocodingUrl === undefined ? {} : { geocodingUrl }),
      timeoutMs,
      maxConcurrency,
      debug: (message) => log.debug(message),
    });
    return { server: createWeatherServer({ provider, units, stateKeys, log }) };
  },
});

/**
 * Returns the URL of a variable. The error does not repeat the URL, which may contain a password.
 */
function baseUrl(env: NodeJS.ProcessEnv, variable: string): URL | undefined {
  const given = env[variable];
  if (given === undefined || given === '') return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`${variable} must be an http or https URL`);
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '')
    throw new UsageError(`${variable} must have no user name, password, query or fragment`);
  return url;
}
