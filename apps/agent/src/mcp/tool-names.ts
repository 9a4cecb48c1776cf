import { createHash } from 'node:crypto';

/** The tool by which a model reads the resources of a server, unless the server has a tool of that name itself. */
export const READ_RESOURCE = 'read_resource';

const MAX_LENGTH = 64;
const SEPARATOR = '__';
const DIGEST_LENGTH = 8;
/** A plain name never ends like a digested one, so the two kinds cannot meet. */
const LOOKS_DIGESTED = /_[0-9a-f]{8}$/;

/**
 * The name a model calls a tool by, `^[a-zA-Z0-9_-]{1,64}$`: `server__tool` where that is such a name, else a shortened form with a digest. It
 * depends on nothing but the two names, so no other tool, server or order of connecting changes it. `server` is a configured name, at most 32
 * characters without `__` and a final `_`; the part before the first `__` is therefore always the server.
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
