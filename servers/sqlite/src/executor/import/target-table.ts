import type { Database } from 'better-sqlite3';
import { quoteIdentifier } from '../quote-identifier.ts';
import type { NewColumn } from './import-protocol.ts';

/** SQLite's own limit of columns. @see https://www.sqlite.org/limits.html#max_column */
export const MAX_COLUMNS = 2000;

const KIND =
  "SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE";
const COLUMNS = "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0 ORDER BY cid";

const TYPE = "SELECT type FROM pragma_table_xinfo(?, 'main') WHERE name = ? COLLATE NOCASE";

/**
 * Returns the columns of an existing table that take values, or `undefined` for a missing table.
 * @throws Error for a view, and for a table that belongs to SQLite or to another table
 */
export function columnsOfTable(database: Database, table: string): readonly string[] | undefined {
  const found = database
    .prepare<[string], { readonly name: string; readonly type: string }>(KIND)
    .get(table);
  if (/^sqlite_/i.test(table) || found?.type === 'shadow' || found?.type === 'view')
    throw new Error(
      `${show(table)} is ${found?.type === 'view' ? 'a view' : 'an internal table'}; rows can be imported into a table only.`,
    );
  return found && database.prepare<[string], string>(COLUMNS).pluck().all(found.name);
}

/** Returns whether each column of a table stores text that looks like a number as the number. */
export function findNumericColumns(
  database: Database,
  table: string,
  columns: readonly string[],
): readonly boolean[] {
  const typeOf = database.prepare<[string, string], string>(TYPE).pluck();
  return columns.map((column) => isNumeric(typeOf.get(table, column) ?? ''));
}

/** @see https://www.sqlite.org/datatype3.html#determination_of_column_affinity */
function isNumeric(type: string): boolean {
  return /INT/i.test(type) || !/CHAR|CLOB|TEXT|BLOB|^(?:ANY)?$/i.test(type);
}

export function createTable(
  database: Database,
  table: string,
  columns: readonly NewColumn[],
): void {
  const definitions = columns.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`.trim());
  database.exec(`CREATE TABLE main.${quoteIdentifier(table)} (${definitions.join(', ')})`);
}

/** Returns the statement that inserts one row. */
export function insertStatement(table: string, columns: readonly string[]): string {
  const names = columns.map(quoteIdentifier).join(', ');
  return `INSERT INTO main.${quoteIdentifier(table)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/** Returns a name for an error text: quoted, in one line, and cut. */
export function show(name: string): string {
  return JSON.stringify(name.slice(0, 60).toWellFormed());
}
