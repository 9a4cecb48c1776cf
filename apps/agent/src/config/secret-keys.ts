import { ConfigError } from './config.ts';

/** Bytes of a key. */
export const KEY_BYTES = 32;

/** Environment variable of the keys that encrypt stored secrets. */
const VARIABLE = 'SIGNALBOX_SECRET_KEY';

/** Returns the keys of SIGNALBOX_SECRET_KEY; undefined when it is not set. @throws ConfigError */
export function secretKeysOf(env: {
  readonly [name: string]: string | undefined;
}): readonly Buffer[] | undefined {
  const text = env[VARIABLE];
  return text === undefined ? undefined : parseSecretKeys(text, VARIABLE);
}

/**
 * Parses keys, separated by commas or whitespace: each 32 bytes in base64, base64url or hex. The
 * first encrypts; the others only decrypt. `source` names their origin in errors.
 * @throws ConfigError
 */
export function parseSecretKeys(text: string, source: string): readonly Buffer[] {
  const keys = text.split(/[\s,]+/u).filter((key) => key !== '');
  if (keys.length === 0) throw unusable(source, 'has no key');
  return keys.map((key, index) => {
    const isHex = /^[0-9a-f]{64}$/iu.test(key);
    const bytes = Buffer.from(key, isHex ? 'hex' : 'base64url');
    if (!/^[\w+/=-]+$/u.test(key) || bytes.length !== KEY_BYTES)
      throw unusable(source, `key ${index + 1} is not ${KEY_BYTES} bytes in base64 or hex`);
    return bytes;
  });
}

function unusable(source: string, problem: string): ConfigError {
  return new ConfigError(
    `${source}: ${problem}; create a key with: openssl rand -base64 ${KEY_BYTES}`,
  );
}
