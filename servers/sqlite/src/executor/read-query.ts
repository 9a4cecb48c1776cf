import type { Database, Statement } from 'better-sqlite3';
import { checkQuery, type CheckedQuery } from '../guard/check-query.ts';
import { RefusedQueryError } from '../guard/statement-tokens.ts';
import { bindParameters } from './bind-parameters.ts';
import { checkProgram } from './check-program.ts';
import type { QueryResult, ReadQueryInput } from './protocol.ts';
import { RowCollector, type ResultLimits } from './row-collector.ts';

/**
 * Runs one reading statement within the limits.
 * @throws RefusedQueryError, ParameterError, SqliteError
 */
export function readQuery(
  database: Database,
  input: ReadQueryInput,
  limits: ResultLimits,
): QueryResult {
  const startedMs = performance.now();
  const { checked, statement } = prepareQuery(database, input.query);
  const parameters = bindParameters(input.params, checked.tokens);
  const collected = new RowCollector(statement.columns(), {
    ...limits,
    maxRows: Math.min(input.limit ?? limits.maxRows, limits.maxRows),
  });
  let toSkip = input.skip ?? 0;
  for (const row of statement.iterate(...parameters)) {
    if (toSkip > 0) toSkip -= 1;
    else if (!collected.add(row)) break;
  }
  return { ...collected.result(), elapsedMs: Math.round(performance.now() - startedMs) };
}

/** A statement that passed the guard. */
export interface PreparedQuery {
  readonly checked: CheckedQuery;
  /** Returns rows as arrays, with exact integers. */
  readonly statement: Statement<unknown[], unknown[]>;
}

/**
 * Compiles one reading statement.
 * @throws RefusedQueryError, SqliteError
 */
export function prepareQuery(database: Database, sql: string): PreparedQuery {
  const checked = checkQuery(sql);
  const statement = database.prepare<unknown[], unknown[]>(sql);
  if (!statement.readonly || !statement.reader)
    throw new RefusedQueryError(
      'The statement changes the database or returns no rows; only reading statements are allowed.',
    );
  const isExecutedProgram = checked.keyword !== 'explain' && checked.keyword !== 'pragma';
  const hasParameters = checked.tokens.some(({ kind }) => kind === 'variable');
  if (isExecutedProgram) checkProgram(database, sql, hasParameters);
  return { checked, statement: statement.raw(true).safeIntegers(true) };
}
