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

/**
 * Compiles one reading statement.
 * @throws RefusedQueryError, SqliteError
 */
export function prepareQuery(database: Database, sql: string): PreparedQuery {
  const checked = checkQuery(sql);
  // SQLite compiles with the schema that it has read, and notices a change by another connection only when a statement runs.
  database.prepare('SELECT 1 FROM sqlite_schema').get();
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
