import type { Database, Statement } from 'better-sqlite3';
import { checkQuery, type CheckedQuery } from '../guard/check-query.ts';
import { RefusedQueryError } from '../guard/statement-tokens.ts';
import { checkProgram } from './check-program.ts';

/** A statement that passed the guard. */
export interface PreparedQuery {
  readonly checked: CheckedQuery;
  /** Returns rows as arrays, with exact integers. */
  readonly statement: Statement<unknown[], unknown[]>;
  readonly columns: readonly { readonly name: string }[];
}

/** Statement that makes SQLite read the schema again if another connection has changed it, which compiling alone does not. */
export const SCHEMA_READER = 'SELECT 1 FROM sqlite_schema';

/**
 * Compiles one reading statement. `isSchemaCurrent`: whether the connection is known to have read the
 * schema since its last change.
 * @throws RefusedQueryError, SqliteError
 */
export function prepareQuery(
  database: Database,
  sql: string,
  isSchemaCurrent = false,
): PreparedQuery {
  const checked = checkQuery(sql);
  if (!isSchemaCurrent) database.prepare(SCHEMA_READER).get();
  const statement = database.prepare<unknown[], unknown[]>(sql);
  if (!statement.readonly || !statement.reader)
    throw new RefusedQueryError(
      'The statement changes the database or returns no rows; only reading statements are allowed.',
    );
  const isExecutedProgram = checked.keyword !== 'explain' && checked.keyword !== 'pragma';
  const hasParameters = checked.tokens.some(({ kind }) => kind === 'variable');
  if (isExecutedProgram) checkProgram(database, sql, hasParameters);
  return {
    checked,
    statement: statement.raw(true).safeIntegers(true),
    columns: statement.columns(),
  };
}
