import type { Database, Statement } from 'better-sqlite3';
import { checkWrite, type CheckedWrite } from '../guard/check-write.ts';
import { bindParameters } from './bind-parameters.ts';
import { checkWriteProgram } from './check-program.ts';
import { countRows } from './count-rows.ts';
import { cutText, encodeCell } from './encode-cell.ts';
import { inTransaction } from './in-transaction.ts';
import type { OperationContext } from './operation.ts';
import type { ExecuteStatementsInput, StatementResult, WriteStatement } from './protocol.ts';
import { ENVELOPE_BYTES, RowCollector, type ResultLimits } from './row-collector.ts';
import { StatementError } from './statement-error.ts';

/** Bytes of the other fields of a statement's result, as structured content and as text. */
const OUTCOME_BYTES = 512;
const MAX_NAME_BYTES = 100;

/**
 * Runs writing statements in one transaction, all or none.
 * @throws StatementError because of a RefusedQueryError, ParameterError or SqliteError; SqliteError of the commit
 */
export async function executeStatements(
  { statements, kinds, isBatch, confirmed = [] }: ExecuteStatementsInput,
  context: OperationContext,
): Promise<readonly StatementResult[]> {
  const { database, configuration } = context;
  const checked = statements.map(({ query }, index) =>
    naming({ isBatch, index, query }, () => checkWrite(query, kinds)),
  );
  return inTransaction(context, () => {
    confirmed.forEach((each) => checkConfirmed(database, each));
    const limits = { ...configuration, maxResultBytes: shareOf(configuration, statements.length) };
    return checked.map((write, index) => {
      const statement = statements[index] ?? { query: '' };
      return naming({ isBatch, index, query: statement.query }, () =>
        execute(database, { write, statement, limits }),
      );
    });
  });
}

/** Returns the limit of the rows of each statement: an equal part of the result. */
function shareOf({ maxResultBytes }: ResultLimits, count: number): number {
  const rest = count === 1 ? 0 : OUTCOME_BYTES;
  return Math.floor((maxResultBytes - ENVELOPE_BYTES) / count) - rest + ENVELOPE_BYTES;
}

/** Runs one step, and adds its statement to its error. */
function naming<Result>(
  { isBatch, index, query }: { isBatch: boolean; index: number; query: string },
  step: () => Result,
): Result {
  try {
    return step();
  } catch (error) {
    throw new StatementError(query, error, isBatch ? index : undefined);
  }
}

function checkConfirmed(
  database: Database,
  { table, rows }: { readonly table: string; readonly rows: number },
): void {
  const now = countRows(database, table);
  if (now !== undefined && now > rows)
    throw new Error(
      `${table} has ${now} rows, more than the ${rows} that were confirmed; nothing was applied. Call again.`,
    );
}

interface Execution {
  readonly write: CheckedWrite;
  readonly statement: WriteStatement;
  readonly limits: ResultLimits;
}

function execute(database: Database, { write, statement, limits }: Execution): StatementResult {
  const { query, params } = statement;
  const prepared = database.prepare<unknown[], unknown[]>(query);
  checkWriteProgram(database, query, write);
  const parameters = bindParameters(params, write.tokens);
  const before = readCounters(database);
  const returned = prepared.reader
    ? readReturned(prepared, parameters, limits)
    : void prepared.run(...parameters);
  if (write.kind !== 'rows')
    return { object: { type: write.object, name: cutText(write.target, MAX_NAME_BYTES) } };
  return { ...outcomeOf(database, write, before), ...returned };
}

/** SQLite makes all changes before it returns the first row. */
function readReturned(
  statement: Statement<unknown[], unknown[]>,
  parameters: readonly unknown[],
  limits: ResultLimits,
): Pick<StatementResult, 'columns' | 'rows' | 'rowCount' | 'truncated'> {
  const reader = statement.raw(true).safeIntegers(true);
  const collected = new RowCollector(reader.columns(), limits);
  for (const row of reader.iterate(...parameters)) {
    if (!collected.add(row)) break;
  }
  return collected.result();
}

const OUTCOME =
  'SELECT changes() AS changed, total_changes() AS total, last_insert_rowid() AS rowid';
const TARGET =
  "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE";

interface Counters {
  readonly changed: bigint;
  readonly total: bigint;
  readonly rowid: bigint;
}

function readCounters(database: Database): Counters {
  const counters = database.prepare<[], Counters>(OUTCOME).safeIntegers(true).get();
  if (counters === undefined) throw new Error('SQLite returned no counters');
  return counters;
}

/** Changes to a view are made by its triggers, and so missing in `changed`. */
function outcomeOf(
  database: Database,
  { verb, target }: CheckedWrite,
  before: Counters,
): StatementResult {
  const after = readCounters(database);
  const found = database.prepare<[string], { type: string; wr: number }>(TARGET).get(target);
  const affectedRows = Number(found?.type === 'view' ? after.total - before.total : after.changed);
  const isInsert = verb === 'insert' || verb === 'replace';
  const hasRowids = found?.type === 'table' && found.wr === 0;
  if (!isInsert || !hasRowids || affectedRows === 0) return { affectedRows };
  // A number within ±(2^53 - 1), and otherwise its digits.
  return { affectedRows, lastInsertRowid: encodeCell(after.rowid, 64).json as number | string };
}
