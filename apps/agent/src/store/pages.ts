import type { SelectQueryBuilder } from 'kysely';
import type { Page, PageOptions } from '../ports/store/page.ts';
import { decodeCursor, encodeCursor, type Place } from './cursor.ts';
import type { Database } from './database.ts';

/** Tables that are listed by creation time. */
type Listed =
  | 'artifacts'
  | 'runs'
  | 'threads'
  | 'agents'
  | 'inboxItems'
  | 'rememberedApprovals'
  | 'schedules'
  | 'webhooks'
  | 'webhookDeliveries';

export interface Listing<Row, T> {
  readonly order: 'newest first' | 'oldest first';
  readonly decode: (row: Row) => T;
}

/** Returns one page of a query, sorted by creation time. @throws InvalidCursorError */
export async function pageByTime<
  Table extends Listed,
  Row,
  T extends { readonly createdAt: number; readonly id: string },
>(
  query: SelectQueryBuilder<Database, Table, Row>,
  options: PageOptions,
  { order, decode }: Listing<Row, T>,
): Promise<Page<T>> {
  const [direction, operator] =
    order === 'newest first' ? (['desc', '<'] as const) : (['asc', '>'] as const);
  // Every listed table has these columns, which the type parameter hides from the compiler.
  let page = (query as unknown as SelectQueryBuilder<Database, Listed, Row>)
    .orderBy('createdAt', direction)
    .orderBy('id', direction);
  if (options.cursor !== undefined) {
    const [createdAt, id] = decodeCursor(options.cursor);
    page = page.where((where) =>
      where(where.refTuple('createdAt', 'id'), operator, where.tuple(createdAt, id)),
    );
  }
  const rows = await page.limit(options.limit + 1).execute();
  return pageOfRows(
    rows.map((row) => decode(row as Row)),
    options.limit,
    ({ createdAt, id }) => [createdAt, id],
  );
}

/** Returns a page of `limit` records. `found` has one record more when there is a next page. */
export function pageOfRows<T>(
  found: readonly T[],
  limit: number,
  placeOf: (record: T) => Place,
): Page<T> {
  const data = found.slice(0, limit);
  const last = data.at(-1);
  return {
    data,
    nextCursor:
      found.length > limit && last !== undefined ? encodeCursor(placeOf(last)) : undefined,
  };
}
