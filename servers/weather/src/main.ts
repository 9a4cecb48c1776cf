import { choiceOption, integerOption, packageVersion, runServer, UsageError } from '@signalbox/server-kit';
import { createDemoProvider } from './demo/demo-provider.ts';
import { createOpenMeteoProvider } from './open-meteo/open-meteo-provider.ts';
import { UNITS } from './units.ts';
import { usage } from './usage.ts';
import { createWeatherServer } from './weather-server.ts';

const name = 'signalbox-weather';
const version = packageVersion(import.meta.url);

await runServer({
  name,
  version,
  usage,
  options: {
    demo: { type: 'boolean' },
    'demo-delay-ms': { type: 'string' },
    units: { type: 'string' },
    'timeout-ms': { type: 'string' },
    'max-concurrency': { type: 'string' },
  },
  start: async ({ values, positionals, env, log }) => {
    if (positionals.length > 0) throw new UsageError(`Unexpected argument ${JSON.stringify(positionals[0])}`);
    const units = choiceOption(values, 'units', { choices: UNITS, default: 'metric' });
    const maxConcurrency = integerOption(values, 'max-concurrency', { min: 1, max: 5, default: 2 });
    const timeoutMs = integerOption(values, 'timeout-ms', { min: 100, max: 60_000, default: 10_000 });
    const delayMs = integerOption(values, 'demo-delay-ms', { min: 0, max: 60_000, default: 150 });
    const forecastUrl = baseUrl(env, 'WEATHER_OPEN_METEO_URL');
    const geocodingUrl = baseUrl(env, 'WEATHER_GEOCODING_URL');
    if (values.demo === true) return { server: createWeatherServer({ provider: createDemoProvider({ delayMs, maxConcurrency }), units }) };
    const provider = createOpenMeteoProvider({
      userAgent: `${name}/${version}`,
      ...(forecastUrl === undefined ? {} : { forecastUrl }),
      ...(geocodingUrl === undefined ? {} : { geocodingUrl }),
      timeoutMs,
      maxConcurrency,
      debug: (message) => log.debug(message),
    });
    return { server: createWeatherServer({ provider, units }) };
  },
});

function baseUrl(env: NodeJS.ProcessEnv, variable: string): URL | undefined {
  const given = env[variable];
  if (given === undefined || given === '') return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(`${variable} must be an http or https URL, not ${JSON.stringify(given)}`);
}
