import type * as crypto from 'node:crypto';

/** Returns `node:crypto` and loads it on first use, which saves an idle server 3 MiB. */
export function nodeCrypto(): typeof crypto {
  return process.getBuiltinModule('node:crypto');
}
