import { ANONYMOUS, DEFAULT_KEY, type KeyLimits } from '../ports/api-key.ts';
import { ConfigError, type ApiKey, type ConfiguredKeyLimits } from './config.ts';
import type { FileConfig } from './config-schema.ts';

/**
 * Returns the API keys with their tokens, that of `SIGNALBOX_TOKEN` first.
 * @throws ConfigError for a reserved name, a variable that is not set, and two keys with one token
 */
export function apiKeysOf(
  entries: FileConfig['api_keys'] = {},
  env: { readonly [name: string]: string | undefined },
): readonly ApiKey[] {
  const token = env['SIGNALBOX_TOKEN'];
  const keys: ApiKey[] = token === undefined ? [] : [{ name: DEFAULT_KEY, token }];
  for (const [name, { token_variable: variable }] of Object.entries(entries)) {
    const place = `api_keys.${name}`;
    if (name === ANONYMOUS || name === DEFAULT_KEY)
      throw new ConfigError(
        `${place}: "${name}" is the name of ${name === DEFAULT_KEY ? 'the key in SIGNALBOX_TOKEN' : 'requests without a key'}; choose another name`,
      );
    const value = env[variable];
    if (value === undefined)
      throw new ConfigError(
        `${place}.token_variable: the environment variable ${variable} is not set; set it to the token of the key`,
      );
    const same = keys.find((key) => key.token === value);
    if (same !== undefined)
      throw new ConfigError(
        `${place}: the key has the same token as the key "${same.name}"; give each key a token of its own`,
      );
    keys.push({ name, token: value });
  }
  return keys;
}

/** Returns the names of the API keys, in every process, whether or not it has their tokens. */
export function apiKeyNamesOf(entries: FileConfig['api_keys'] = {}): readonly string[] {
  return [ANONYMOUS, DEFAULT_KEY, ...Object.keys(entries)];
}

/** Returns the limits of the API keys, or undefined when there are none. */
export function keyLimitsOf({
  api_key_limits: all,
  api_keys: entries = {},
}: Pick<FileConfig, 'api_key_limits' | 'api_keys'>): ConfiguredKeyLimits | undefined {
  const byName = Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [name, limitsOf(entry)]),
  );
  const settings = { all: limitsOf(all ?? {}), byName };
  const isSet = [settings.all, ...Object.values(byName)].some((limits) =>
    Object.values(limits).some((value) => value !== undefined),
  );
  return isSet ? settings : undefined;
}

function limitsOf({
  running_runs: runningRuns,
  runs_per_minute: runsPerMinute,
}: NonNullable<FileConfig['api_key_limits']>): KeyLimits {
  return { runningRuns, runsPerMinute };
}

/** Returns a function from the name of an API key to its limits, or undefined when there are none. */
export function keyLimitsByName(
  settings: ConfiguredKeyLimits | undefined,
): ((apiKey: string) => KeyLimits) | undefined {
  if (settings === undefined) return undefined;
  const { all, byName } = settings;
  return (apiKey) => {
    const own = Object.hasOwn(byName, apiKey) ? byName[apiKey] : undefined;
    return {
      runningRuns: own?.runningRuns ?? all.runningRuns,
      runsPerMinute: own?.runsPerMinute ?? all.runsPerMinute,
    };
  };
}
