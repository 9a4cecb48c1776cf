import type { Database } from 'better-sqlite3';
import { quoteIdentifier } from './quote-identifier.ts';

const FIND =
  "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE";

/** Returns the number of rows of a table or view, or `undefined` when there is none of this name. */
export function countRows(database: Database, name: string): number | undefined {
  const found = database.prepare<[string], string>(FIND).pluck().get(name);
  if (found === undefined) return undefined;
  return database
    .prepare<[], number>(`SELECT count(*) FROM main.${quoteIdentifier(found)}`)
    .pluck()
    .get();
}
