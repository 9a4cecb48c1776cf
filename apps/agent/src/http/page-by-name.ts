import { InvalidCursorError } from '../ports/store/errors.ts';
import type { Page } from '../ports/store/page.ts';

/** Returns a page of values that are sorted by unique names. @throws InvalidCursorError */
export function pageByName<T>(
  sorted: readonly T[],
  nameOf: (value: T) => string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Page<T> {
  const after = cursor === undefined ? '' : nameIn(cursor);
  const found = sorted.filter((value) => nameOf(value) > after);
  const data = found.slice(0, limit);
  const last = data.at(-1);
  return {
    data,
    nextCursor:
      found.length > limit && last !== undefined
        ? Buffer.from(nameOf(last)).toString('base64url')
        : undefined,
  };
}

function nameIn(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString();
  if (name === '' || Buffer.from(name).toString('base64url') !== cursor)
    throw new InvalidCursorError();
  return name;
}
