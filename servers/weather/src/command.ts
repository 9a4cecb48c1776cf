import { resolve } from 'node:path';
import {
  choiceOption,
  defineServerMain,
  integerOption,
  packageVersion,
  requestStateKeys,
  UsageError,
} from '@signalbox/server-kit';
import type { DiskStore } from './cache/disk-store.ts';
import { createWeatherServer } from './create-weather-server.ts';
import { environmentSettings } from './environment-settings.ts';
import { UNITS } from './units.ts';
import { createWeatherProvider, PROVIDER_NAMES } from './weather-provider.ts';

const usage = `Usage: signalbox-weather [options]

An MCP server: current and past weather, forecasts, air quality and comparisons from Open-Meteo, alerts of the
United States from the National Weather Service. No key needed.
The free tier of Open-Meteo is for non-commercial use; its data is licensed CC BY 4.0 and has to be attributed
(every result carries the attribution). See https://open-meteo.com/en/terms

Environment:
  WEATHER_OPEN_METEO_URL   base URL of the forecast service (default https://api.open-meteo.com)
  WEATHER_GEOCODING_URL    base URL of the geocoding service (default https://geocoding-api.open-meteo.com)
  WEATHER_ARCHIVE_URL      base URL of the archive (default https://archive-api.open-meteo.com)
  WEATHER_AIR_QUALITY_URL  base URL of the air quality service (default https://air-quality-api.open-meteo.com)
  WEATHER_NWS_URL          base URL of the National Weather Service (default https://api.weather.gov)
  WEATHER_API_KEY          key of a paid subscription of Open-Meteo, whose hosts are then used
  WEATHER_CONTACT          mail address or web page in the User-Agent, which the National Weather Service asks for
  WEATHER_POLL_MS          interval in which subscribed resources are requested, 100 to 86400000 ms (default: when the cached value expires)
  MCP_STATE_KEY            keys that seal an elicitation about an ambiguous place: the current key, then older keys, comma-separated (default: a random key of this process)

Options:
  --demo                  made-up weather of a few cities instead of the services; no network is used
  --demo-delay-ms N       delay of each made-up answer, 0 to 60000 ms (default 150)
  --units UNITS           metric, imperial or kelvin, for calls without units (default metric)
  --provider NAME         source of current weather and forecasts: auto, open-meteo or nws (default auto)
  --timeout-ms N          limit of one request, 100 to 60000 ms; with retries 1.5 times as much (default 10000)
  --max-concurrency N     concurrent requests, 1 to 5 (default 2)
  --cache-dir DIR         directory of answers that are kept after the server ends (default: in memory only)
  --offline               answer from the cache only, and make no request
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
    provider: { type: 'string' },
    'cache-dir': { type: 'string' },
    offline: { type: 'boolean' },
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
    const provider = choiceOption(values, 'provider', {
      choices: PROVIDER_NAMES,
      default: 'auto',
    });
    const { urls, apiKey, contact, pollMs } = environmentSettings(env);
    const stateKeys = requestStateKeys(env);
    const common = { units, stateKeys, pollMs, log };
    if (values.demo === true) {
      const { createDemoProvider } = await import('./mock/demo-provider.ts');
      return createWeatherServer({
        ...common,
        provider: createDemoProvider({ delayMs, maxConcurrency, provider }),
      });
    }
    const cacheDirectory = values['cache-dir'];
    return createWeatherServer({
      ...common,
      provider: createWeatherProvider({
        userAgent: `${name}/${version}${contact === undefined ? '' : ` (${contact})`}`,
        provider,
        urls,
        apiKey,
        timeoutMs,
        maxConcurrency,
        offline: values.offline ?? false,
        store:
          cacheDirectory === undefined
            ? undefined
            : await openStore(cacheDirectory, (message) => log.warn(message)),
        debug: (message) => log.debug(message),
      }),
    });
  },
});

/** @throws UsageError when the directory cannot be used */
async function openStore(directory: string, warn: (message: string) => void): Promise<DiskStore> {
  // Loaded on request, like the demo: it needs node:crypto and node:fs/promises.
  const { DiskStore } = await import('./cache/disk-store.ts');
  const store = new DiskStore(resolve(directory), warn);
  try {
    await store.open();
  } catch (error) {
    throw new UsageError(
      `--cache-dir: ${JSON.stringify(directory)} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  return store;
}
