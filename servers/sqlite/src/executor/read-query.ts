import type { Database, Statement } from 'better-sqlite3';
import { checkQuery, type CheckedQuery } from '../guard/check-query.ts';
import { RefusedQueryError } from '../guard/statement-tokens.ts';
import { bindParameters } from './bind-parameters.ts';
import { checkProgram } from './check-program.ts';
import { fileBytes } from './file-state.ts';
import type { ReadWhole } from './operation.ts';
import type { QueryResult, ReadQueryInput } from './protocol.ts';
import { RowCollector, type ResultLimits } from './row-collector.ts';
import { rowLimit } from './row-limit.ts';

/** Size of a database up to which the rows of a result are read at once. */
const SMALL_FILE_BYTES = 64 * 2 ** 20;
/** Number of rows from which reading them at once is faster. */
const MANY_ROWS = 16;

/**
 * Runs one reading statement within the limits. Reads the rows one by one, unless there is `readWhole`
 * and the statement limits itself to as many rows as the result may have.
 * @throws RefusedQueryError, ParameterError, SqliteError
 */
export function readQuery(
  database: Database,
  input: ReadQueryInput,
  limits: ResultLimits,
  readWhole?: ReadWhole,
): QueryResult {
  const startedMs = performance.now();
  const { checked, statement } = prepareQuery(database, input.query);
  const parameters = bindParameters(input.params, checked.tokens);
  const maxRows = Math.min(input.limit ?? limits.maxRows, limits.maxRows);
  const collected = new RowCollector(statement.columns(), { ...limits, maxRows });
  let toSkip = input.skip ?? 0;
  const readRows =
    readWhole !== undefined &&
    isShort(checked, maxRows) &&
    fileBytes(database.name) <= SMALL_FILE_BYTES
      ? readWhole
      : undefined;
  const rows = readRows?.(() => statement.all(...parameters)) ?? statement.iterate(...parameters);
  for (const row of rows) {
    if (toSkip > 0) toSkip -= 1;
    else if (!collected.add(row)) break;
  }
  return { ...collected.result(), elapsedMs: Math.round(performance.now() - startedMs) };
}

/** Whether a statement returns many rows, but not more than `maxRows`. */
function isShort({ keyword, tokens }: CheckedQuery, maxRows: number): boolean {
  if (keyword === 'explain' || keyword === 'pragma') return false;
  const rows = rowLimit(tokens);
  return rows !== undefined && rows >= MANY_ROWS && rows <= maxRows;
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
