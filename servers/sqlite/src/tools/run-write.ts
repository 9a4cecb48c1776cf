import { ToolError } from '@signalbox/mcp-core';
import type { InteractiveContext } from '@signalbox/mcp-core/server';
import type { Confirmations } from '@signalbox/server-kit';
import type { Databases, ServedDatabase } from '../databases.ts';
import type { StatementResult, WriteStatement } from '../executor/protocol.ts';
import { cutText } from '../executor/encode-cell.ts';
import { checkWrite, type CheckedWrite, type WriteKind } from '../guard/check-write.ts';
import { RefusedQueryError } from '../guard/statement-tokens.ts';
import { withQueryProgress } from './query-progress.ts';

/** The dependencies of the writing tools. */
export interface WriteTools {
  readonly databases: Databases;
  readonly confirmations: Confirmations;
  /** Maximum number of statements of a batch. */
  readonly maxStatements: number;
}

export interface WriteCall {
  readonly tool: string;
  /** Name of the database; default the first. */
  readonly database: string | undefined;
  readonly statements: readonly WriteStatement[];
  /** Kinds of statements that the tool runs. */
  readonly kinds: readonly WriteKind[];
  readonly isBatch: boolean;
  readonly confirmToken: string | undefined;
}

/** A table whose rows a statement changes or deletes, as the user sees it. */
interface Impact {
  readonly text: string;
  readonly confirmed: readonly { readonly table: string; readonly rows: number }[];
}

const MAX_SHOWN_STATEMENTS = 10;
const MAX_SHOWN_SQL_BYTES = 500;

/**
 * Checks the statements of a call, confirms the destructive ones together, and runs all in one
 * transaction.
 * @throws ToolError
 */
export async function runWrite(
  { databases, confirmations }: WriteTools,
  context: InteractiveContext,
  call: WriteCall,
): Promise<readonly StatementResult[]> {
  const database = databases.get(call.database);
  const { writer } = database;
  if (writer === undefined) throw new ToolError('This server is read-only.');
  const { tool, statements, kinds, isBatch, confirmToken } = call;
  const writes = statements.map(({ query }, index) => check(query, call, index));
  const risky = writes
    .map((write, index) => ({ write, query: statements[index]?.query ?? '' }))
    .filter(({ write }) => write.effect !== 'adds');
  let confirmed: Impact['confirmed'] = [];
  if (risky.length > 0) {
    // The impact that the user saw, also when the handler runs again with the answer.
    const impact = await context.once('impact', () => describe(database, risky, context.signal));
    await confirmations.confirm(context, {
      tool,
      arguments: {
        database: database.name,
        statements,
        confirmed: impact.confirmed,
      },
      impact: impact.text,
      isRoutine: risky.every(({ write }) => write.effect !== 'destroys'),
      hasStructuredToken: true,
      ...(confirmToken === undefined ? {} : { confirmToken }),
    });
    confirmed = impact.confirmed;
  }
  const input = { statements, kinds, isBatch, confirmed };
  return withQueryProgress(
    context,
    writer.run('execute-statements', input, context.signal),
    'write',
  );
}

function check(query: string, { kinds, isBatch }: WriteCall, index: number): CheckedWrite {
  try {
    return checkWrite(query, kinds);
  } catch (error) {
    if (!(error instanceof RefusedQueryError)) throw error;
    const prefix = isBatch ? `Statement index ${index} is refused; nothing was applied. ` : '';
    throw new ToolError(`${prefix}${error.message}`, { cause: error });
  }
}

interface RiskyStatement {
  readonly write: CheckedWrite;
  readonly query: string;
}

async function describe(
  database: ServedDatabase,
  risky: readonly RiskyStatement[],
  signal: AbortSignal,
): Promise<Impact> {
  const counted = new Map<string, number | undefined>();
  for (const { write } of risky) {
    const hasRows = write.effect === 'destroys' && ['rows', 'table'].includes(write.object);
    if (hasRows && !counted.has(write.target))
      counted.set(write.target, await tryCount(database, write.target, signal));
  }
  const shown = risky
    .slice(0, MAX_SHOWN_STATEMENTS)
    .map((each) => sentence(each, counted.get(each.write.target)));
  const hidden = risky.length - shown.length;
  return {
    text: [
      `In the database ${database.name}:`,
      ...shown,
      ...(hidden > 0 ? [`And ${hidden} more statements of this kind.`] : []),
    ].join(' '),
    confirmed: [...counted].flatMap(([table, rows]) => (rows === undefined ? [] : { table, rows })),
  };
}

/** Counts the rows of a table, unless that exceeds the limits of a query or there is no such table. */
async function tryCount(
  { readers }: ServedDatabase,
  table: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    return (await readers.run('count-rows', { table }, signal)) ?? undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

function sentence({ write, query }: RiskyStatement, rows: number | undefined): string {
  const { verb, object, effect } = write;
  const target = JSON.stringify(cutText(write.target, 128));
  const count = rows === undefined ? '' : `, ${rows} ${rows === 1 ? 'row' : 'rows'}`;
  const sql = `Statement: ${JSON.stringify(cutText(query, MAX_SHOWN_SQL_BYTES))}.`;
  if (effect === 'changes') return `${verb.toUpperCase()} on ${target}. ${sql}`;
  if (verb === 'update') return `Every row of ${target} is updated${count}. ${sql}`;
  if (verb === 'delete') return `Every row of ${target} is deleted${count}. ${sql}`;
  if (verb === 'alter') return `A column of ${target} is dropped with its values. ${sql}`;
  return `The ${object} ${target} is dropped${count}. ${sql}`;
}
