import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  sql,
  type Expression,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';
import type { Page, PageOptions } from '../ports/store/page.ts';
import { decodeCursor, encodeCursor, type Place } from './cursor.ts';
import type { Database } from './database.ts';
import { pageOfRows } from './pages.ts';
import type { Rows } from './rows.ts';

/** Runs of the first read, which often fills the page. Each further read has more. */
const FIRST_READ = 1000;
const GROWTH = 4;
/**
 * Maximum number of runs of one read. SQLite takes a few milliseconds, in which the process serves no
 * other request; PostgreSQL reads in its own process.
 */
const MAX_READ = { sqlite: 2000, postgres: 20_000 } as const;
/** Runs of one page, found or not. */
const MAX_RUNS = 200_000;

export interface RunSearch<Row, T> extends PageOptions {
  /** Words in the form of `foldText`, all of which the text of a run must contain. */
  readonly words: readonly string[];
  readonly decode: (row: Row) => T;
  /** Maximum number of runs that a page reads. Default: 200,000. */
  readonly maxRuns?: number;
}

/**
 * Returns one page of the runs of a query whose texts contain every word, newest first. After
 * `maxRuns` the page may have fewer runs than its limit, and a cursor to continue.
 * @throws InvalidCursorError
 */
export async function searchRuns<
  Row,
  T extends { readonly createdAt: number; readonly id: string },
>(
  rows: Rows,
  runs: SelectQueryBuilder<Database, 'runs', Row>,
  { words, limit, cursor, decode, maxRuns = MAX_RUNS }: RunSearch<Row, T>,
): Promise<Page<T>> {
  let before = cursor === undefined ? undefined : decodeCursor(cursor);
  // Long words are rare, and the first word that is missing ends the comparison.
  const rarest = words.toSorted((a, b) => b.length - a.length);
  const found: T[] = [];
  let length = FIRST_READ;
  for (let read = 0; read < maxRuns; length = Math.min(length * GROWTH, MAX_READ[rows.dialect])) {
    const last = await placeAt(rows, length, before);
    let query = runs
      .innerJoin('runTexts', 'runTexts.runId', 'runs.id')
      .where((text) => text.and(rarest.map((word) => contains(rows, word))))
      .orderBy('runTexts.runCreatedAt', 'desc')
      .orderBy('runTexts.runId', 'desc')
      .limit(limit + 1 - found.length);
    // The places of both tables are the same, and an index of either may be the shorter way.
    for (const place of [TEXT_PLACE, RUN_PLACE]) {
      if (before !== undefined) query = query.where(compared(place, '<', before));
      if (last !== undefined) query = query.where(compared(place, '>=', last));
    }
    for (const row of await query.execute()) found.push(decode(row));
    if (found.length > limit || last === undefined)
      return pageOfRows(found, limit, ({ createdAt, id }) => [createdAt, id]);
    before = last;
    read += length;
    await nextTurn();
  }
  return { data: found, nextCursor: before && encodeCursor(before) };
}

/** Returns the place of the last of so many runs. Undefined when fewer runs remain. */
async function placeAt(
  { kysely }: Rows,
  length: number,
  before: Place | undefined,
): Promise<Place | undefined> {
  let query = kysely
    .selectFrom('runTexts')
    .select(['runCreatedAt', 'runId'])
    .orderBy('runCreatedAt', 'desc')
    .orderBy('runId', 'desc')
    .offset(length - 1)
    .limit(1);
  if (before !== undefined) query = query.where(compared(TEXT_PLACE, '<', before));
  const row = await query.executeTakeFirst();
  return row && [row.runCreatedAt, row.runId];
}

const TEXT_PLACE = sql`(run_texts.run_created_at, run_texts.run_id)`;
const RUN_PLACE = sql`(runs.created_at, runs.id)`;

function compared(
  place: RawBuilder<unknown>,
  operator: '<' | '>=',
  [createdAt, id]: Place,
): Expression<SqlBool> {
  return sql<SqlBool>`${place} ${sql.raw(operator)} (${createdAt}, ${id})`;
}

function contains({ dialect }: Rows, word: string): Expression<SqlBool> {
  return dialect === 'postgres'
    ? sql<SqlBool>`(strpos(run_texts.request, ${word}) > 0 or strpos(run_texts.outcome, ${word}) > 0)`
    : sql<SqlBool>`(instr(run_texts.request, ${word}) > 0 or instr(run_texts.outcome, ${word}) > 0)`;
}
