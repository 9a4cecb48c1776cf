import { createHash } from 'node:crypto';

const MAX_LENGTH = 32;
const DIGEST_LENGTH = 8;

/**
 * Pattern of names that can begin the wire name of a tool, `server__tool`: 1 to 32 letters, digits,
 * `-` and `_`, without `__` inside and `_` at the end, so that a wire name splits in one way only.
 */
export const SERVER_NAME = /^(?=.{1,32}$)[A-Za-z0-9](?:[A-Za-z0-9-]|_(?=[A-Za-z0-9-]))*$/;

/**
 * Returns the safe name of each server by its configured name. A name that matches SERVER_NAME is
 * kept. In other names invalid characters become `-`, and a digest is appended if the result is not
 * unique, too long or empty.
 */
export function safeServerNames(configured: readonly string[]): ReadonlyMap<string, string> {
  const readable = new Map(
    configured.map((name) => [name, SERVER_NAME.test(name) ? name : readableName(name)]),
  );
  const uses = Map.groupBy(readable.values(), (name) => name);
  return new Map(
    [...readable].map(([name, candidate]) => {
      const isOwn = name === candidate || uses.get(candidate)?.length === 1;
      return [
        name,
        isOwn && SERVER_NAME.test(candidate) ? candidate : digestedName(name, candidate),
      ];
    }),
  );
}

function readableName(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/^[_-]+|[_-]+$/g, '');
}

function digestedName(name: string, readable: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_LENGTH);
  const start = readable.slice(0, MAX_LENGTH - 1 - DIGEST_LENGTH).replace(/[_-]+$/, '') || 'server';
  return `${start}-${digest}`;
}
