import type * as crypto from 'node:crypto';

/** `node:crypto`, loaded by its first use: that takes 5 ms and 2 MiB, and most servers and clients never need it. */
export function nodeCrypto(): typeof crypto {
  return process.getBuiltinModule('node:crypto');
}
