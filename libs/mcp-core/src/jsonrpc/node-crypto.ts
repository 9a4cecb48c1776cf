import type * as crypto from 'node:crypto';

/**
 * Loads `node:crypto` on first use: it takes 5 ms and 2 MiB, and most servers and clients never
 * need it.
 */
export function nodeCrypto(): typeof crypto {
  return process.getBuiltinModule('node:crypto');
}
