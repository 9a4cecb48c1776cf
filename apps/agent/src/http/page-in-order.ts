import { createHash } from 'node:crypto';
import { InvalidCursorError } from '../ports/store/errors.ts';
import type { Page } from '../ports/store/page.ts';

/**
 * Returns a page of values in their given order. The cursor names the last value of its page, so
 * added or removed values shift no other entry. If that value was removed, the page begins at its
 * former position.
 * @throws InvalidCursorError
 */
export function pageInOrder<T>(
  values: readonly T[],
  keyOf: (value: T) => string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Page<T> {
  const from = cursor === undefined ? 0 : startOf(values.map(keyOf), cursor);
  const data = values.slice(from, from + limit);
  const last = data.at(-1);
  return {
    data,
    nextCursor:
      from + limit < values.length && last !== undefined
        ? Buffer.from(`${from + limit - 1}.${digestOf(keyOf(last))}`).toString('base64url')
        : undefined,
  };
}

function startOf(keys: readonly string[], cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, position, digest] = /^(\d{1,9})\.([\w-]{22})$/.exec(text) ?? [];
  if (position === undefined || digest === undefined) throw new InvalidCursorError();
  const index = Number(position);
  const isLast = (key: string | undefined): boolean =>
    key !== undefined && digestOf(key) === digest;
  if (isLast(keys[index])) return index + 1;
  const found = keys.findIndex(isLast);
  return found === -1 ? index : found + 1;
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 22);
}
