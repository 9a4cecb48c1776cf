import { ANONYMOUS, DEFAULT_KEY } from '../ports/api-key.ts';
import { ConfigError, type ApiKey } from './config.ts';
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
