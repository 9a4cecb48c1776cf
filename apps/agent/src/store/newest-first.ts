import type { SelectQueryBuilder } from 'kysely';
import type { Page } from '../ports/run-store.ts';
import type { PageOptions } from '../ports/thread-store.ts';
import { decodeCursor, encodeCursor, type Position } from './cursor.ts';
import type { Database } from './database.ts';

/** The tables that are listed by the time their rows were created. */
type Listed = 'runs' | 'threads' | 'agents';

/** One page of a query, newest first. @throws InvalidCursorError */
export async function newestFirst<Table extends Listed, Row, T extends Position>(
  query: SelectQueryBuilder<Database, Table, Row>,
  { limit, cursor }: PageOptions,
  decode: (row: Row) => T,
): Promise<Page<T>> {
  // Every listed table has these columns, which the compiler cannot see through the parameter.
  let page = (query as unknown as SelectQueryBuilder<Database, Listed, Row>).orderBy('createdAt', 'desc').orderBy('id', 'desc');
  if (cursor !== undefined) {
    const { createdAt, id } = decodeCursor(cursor);
    page = page.where((where) => where(where.refTuple('createdAt', 'id'), '<', where.tuple(createdAt, id)));
  }
  const rows = await page.limit(limit + 1).execute();
  const data = rows.slice(0, limit).map((row) => decode(row as Row));
  const last = data.at(-1);
  return { data, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last) : undefined };
}
