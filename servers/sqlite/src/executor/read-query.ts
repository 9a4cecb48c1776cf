import type { Database } from 'better-sqlite3';
import type { CheckedQuery } from '../guard/check-query.ts';
import { bindParameters } from './bind-parameters.ts';
import type { ReadWhole } from './operation.ts';
import { withPreparedQuery } from './prepared-queries.ts';
import type { QueryResult, ReadQueryInput } from './protocol.ts';
import { RowCollector, type ResultLimits } from './row-collector.ts';
import { rowLimit } from './row-limit.ts';

/** Size of a database up to which the rows of a result are read at once. */
const SMALL_DATABASE_BYTES = 64 * 2 ** 20;
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
  const result = withPreparedQuery(database, input.query, (query, databaseBytes) => {
    const { checked, statement, columns } = query;
    const parameters = bindParameters(input.params, checked.tokens);
    const maxRows = Math.min(input.limit ?? limits.maxRows, limits.maxRows);
    const collected = new RowCollector(columns, { ...limits, maxRows });
    let toSkip = input.skip ?? 0;
    const readRows =
      readWhole !== undefined &&
      isShort(checked, maxRows) &&
      databaseBytes() <= SMALL_DATABASE_BYTES
        ? readWhole
        : undefined;
    const rows = readRows?.(() => statement.all(...parameters)) ?? statement.iterate(...parameters);
    for (const row of rows) {
      if (toSkip > 0) toSkip -= 1;
      else if (!collected.add(row)) break;
    }
    return collected.result();
  });
  return { ...result, elapsedMs: Math.round(performance.now() - startedMs) };
}

/** Whether a statement returns many rows, but not more than `maxRows`. */
function isShort({ keyword, tokens }: CheckedQuery, maxRows: number): boolean {
  if (keyword === 'explain' || keyword === 'pragma') return false;
  const rows = rowLimit(tokens);
  return rows !== undefined && rows >= MANY_ROWS && rows <= maxRows;
}
