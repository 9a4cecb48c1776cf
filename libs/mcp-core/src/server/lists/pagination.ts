import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';

const PREFIX = 'after ';

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly nextCursor?: string;
}

export interface Pagination<Entry> {
  /** Sorted by key, ascending; keys are unique. */
  readonly entries: readonly Entry[];
  readonly keyOf: (entry: Entry) => string;
  /** `undefined` for a single page. */
  readonly pageSize: number | undefined;
}

/**
 * Returns the page after a cursor; the first page for no cursor and for the empty cursor. A cursor holds the key of the last entry before the page, so it stays
 * valid when the list changes.
 * @throws ProtocolError -32602 for a cursor that this server did not issue.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
export function pageAfter<Entry>(
  cursor: string | undefined,
  { entries, keyOf, pageSize = Infinity }: Pagination<Entry>,
): Page<Entry> {
  const start =
    cursor === undefined || cursor === ''
      ? 0
      : startAfter(readCursorKey(cursor), { entries, keyOf });
  const shown = entries.slice(start, start + pageSize);
  const last = shown.at(-1);
  const hasMore = last !== undefined && start + shown.length < entries.length;
  return { entries: shown, ...(hasMore ? { nextCursor: cursorAfter(keyOf(last)) } : {}) };
}

/** @throws Error for a page size that is not a positive integer */
export function assertPageSize(pageSize: number | undefined): void {
  if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize > 0))
    throw new Error(`pageSize must be a positive integer, not ${pageSize}`);
}

function startAfter<Entry>(
  key: string,
  { entries, keyOf }: Pick<Pagination<Entry>, 'entries' | 'keyOf'>,
): number {
  const next = entries.findIndex((entry) => keyOf(entry) > key);
  return next === -1 ? entries.length : next;
}

function cursorAfter(key: string): string {
  return Buffer.from(`${PREFIX}${key}`).toString('base64url');
}

function readCursorKey(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const key = text.slice(PREFIX.length);
  if (!text.startsWith(PREFIX) || cursorAfter(key) !== cursor)
    throw new ProtocolError(ErrorCode.invalidParams, 'Invalid params: unknown cursor');
  return key;
}
