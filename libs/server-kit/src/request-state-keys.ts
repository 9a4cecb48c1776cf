import { UsageError } from './usage-error.ts';

const VARIABLE = 'MCP_STATE_KEY';
const MIN_CHARACTERS = 32;

/**
 * The keys that seal what a modern request carries between its rounds, from `MCP_STATE_KEY`: the current one, then older ones, separated by commas.
 * `undefined` when the variable is unset: the server then makes a key of its own, and dialogues end with its process.
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
