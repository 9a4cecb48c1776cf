import type * as buffer from 'node:buffer';

let check: typeof buffer.isUtf8 | undefined;

/** Whether bytes are valid UTF-8. Loads `node:buffer` on first use: an import statement of a module of Node takes 0.2 ms. */
export function isUtf8(bytes: Uint8Array): boolean {
  check ??= process.getBuiltinModule('node:buffer').isUtf8;
  return check(bytes);
}
