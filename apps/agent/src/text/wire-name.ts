import { createHash } from 'node:crypto';

const MAX_LENGTH = 64;
const SEPARATOR = '__';
const DIGEST_LENGTH = 8;
/** Plain names never end like names with a digest, so they cannot collide. */
const LOOKS_DIGESTED = /_[0-9a-f]{8}$/;

/**
 * Returns the name by which models call a tool, `^[a-zA-Z0-9_-]{1,64}$`: `server__tool` if valid,
 * otherwise a shortened form with a digest. It depends on both names only, not on other tools or
 * the order of connecting. `server` is a configured name of at most 32 characters without `__` and
 * a final `_`, so the part before the first `__` is always the server.
 */
export function wireName(server: string, tool: string): string {
  const plain = `${server}${SEPARATOR}${tool}`;
  if (plain.length <= MAX_LENGTH && /^[\w-]+$/.test(tool) && !LOOKS_DIGESTED.test(plain))
    return plain;
  const digest = createHash('sha256')
    .update(`${server}\0${tool}`)
    .digest('hex')
    .slice(0, DIGEST_LENGTH);
  const readable = tool
    .replace(/[^\w-]/g, '_')
    .slice(0, MAX_LENGTH - server.length - SEPARATOR.length - 1 - DIGEST_LENGTH);
  return `${server}${SEPARATOR}${readable}_${digest}`;
}
