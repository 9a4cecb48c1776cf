import { UsageError } from './usage-error.ts';

const VARIABLE = 'MCP_STATE_KEY';
const MIN_CHARACTERS = 32;

/**
 * Returns the keys that seal the request state of modern clients, from `MCP_STATE_KEY`: the current
 * key, then older keys, separated by commas. `undefined` when the variable is unset: the server
 * then uses a random key, and open requests end with its process.
 * @throws UsageError for a key of fewer than 32 characters; the key is not repeated.
 */
export function requestStateKeys(env: NodeJS.ProcessEnv): readonly string[] | undefined {
  const given = env[VARIABLE];
  if (given === undefined || given.trim() === '') return undefined;
  const keys = given.split(',').map((key) => key.trim());
  if (keys.some((key) => key.length < MIN_CHARACTERS))
    throw new UsageError(`each key in ${VARIABLE} must have at least ${MIN_CHARACTERS} characters`);
  return keys;
}
