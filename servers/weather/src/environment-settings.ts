import { integerOption, UsageError } from '@signalbox/server-kit';
import type { ServiceUrls } from './weather-provider.ts';

export interface EnvironmentSettings {
  readonly urls: ServiceUrls;
  readonly apiKey?: string | undefined;
  /** Contact in the User-Agent. */
  readonly contact?: string | undefined;
  /** Interval of polls for subscribed resources, in milliseconds. */
  readonly pollMs?: number | undefined;
}

const URL_VARIABLES = {
  forecast: 'WEATHER_OPEN_METEO_URL',
  geocoding: 'WEATHER_GEOCODING_URL',
  archive: 'WEATHER_ARCHIVE_URL',
  airQuality: 'WEATHER_AIR_QUALITY_URL',
  nws: 'WEATHER_NWS_URL',
} as const;

/**
 * Reads the variables of the operator. An empty variable counts as unset.
 * @throws UsageError that names the variable
 */
export function environmentSettings(env: NodeJS.ProcessEnv): EnvironmentSettings {
  const urls = Object.fromEntries(
    Object.entries(URL_VARIABLES).flatMap(([service, variable]) => {
      const url = baseUrl(env, variable);
      return url === undefined ? [] : [[service, url]];
    }),
  );
  return {
    urls,
    apiKey: headerText(env, 'WEATHER_API_KEY'),
    contact: headerText(env, 'WEATHER_CONTACT'),
    pollMs: pollInterval(env['WEATHER_POLL_MS']),
  };
}

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

/** Returns a variable that is sent to a service: printable ASCII without parentheses, at most 200 characters. */
function headerText(env: NodeJS.ProcessEnv, variable: string): string | undefined {
  const given = env[variable]?.trim();
  if (given === undefined || given === '') return undefined;
  if (/^[\x20-\x27\x2a-\x7e]{1,200}$/.test(given)) return given;
  throw new UsageError(
    `${variable} must be at most 200 printable ASCII characters without parentheses`,
  );
}

function pollInterval(given: string | undefined): number | undefined {
  if (given === undefined || given === '') return undefined;
  try {
    return integerOption({ WEATHER_POLL_MS: given }, 'WEATHER_POLL_MS', {
      min: 100,
      max: 86_400_000,
      default: 0,
    });
  } catch (error) {
    throw new UsageError('WEATHER_POLL_MS must be a whole number from 100 to 86400000', {
      cause: error,
    });
  }
}
