import { InvalidCursorError } from '../ports/store/errors.ts';
import type { Page } from '../ports/store/page.ts';

/** Returns a page of tools, which are sorted by wire name. @throws InvalidCursorError */
export function pageByName<T extends { readonly wireName: string }>(
  tools: readonly T[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Page<T> {
  const after = cursor === undefined ? '' : nameIn(cursor);
  const found = tools.filter(({ wireName }) => wireName > after);
  const data = found.slice(0, limit);
  const last = data.at(-1);
  return {
    data,
    nextCursor:
      found.length > limit && last !== undefined
        ? Buffer.from(last.wireName).toString('base64url')
        : undefined,
  };
}

function nameIn(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString();
  if (!/^[\w.-]{1,64}$/.test(name)) throw new InvalidCursorError();
  return name;
}
