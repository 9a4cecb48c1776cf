import { isMainThread, workerData } from 'node:worker_threads';
import type { Database } from 'better-sqlite3';
import { checkProgram } from '../executor/check-program.ts';
import { executeStatements } from '../executor/execute-statements.ts';
import type { OperationContext } from '../executor/operation.ts';
import { readQuery } from '../executor/read-query.ts';
import { startExecutor } from '../executor/start-executor.ts';
import { watchProcess, type WatchdogOptions } from '../executor/watchdog.ts';

/**
 * The ways to run a statement: as the tools do, or, as a control, without the check of its tokens,
 * or without any check.
 */
export type FuzzMode = 'read' | 'write' | 'read-without-tokens' | 'read-unchecked';

export interface FuzzOperations {
  readonly run: {
    readonly input: { readonly query: string; readonly mode: FuzzMode };
    readonly output: { readonly isRun: boolean; readonly harm: readonly string[] };
  };
}

const SETTINGS = [
  'application_id',
  'busy_timeout',
  'cache_size',
  'cell_size_check',
  'defer_foreign_keys',
  'foreign_keys',
  'journal_mode',
  'locking_mode',
  'query_only',
  'recursive_triggers',
  'schema_version',
  'synchronous',
  'temp_store',
  'trusted_schema',
  'user_version',
  'writable_schema',
];

const STATE = `SELECT ${SETTINGS.map((name) => `(SELECT * FROM pragma_${name}) AS ${name}`).join(', ')},
  (SELECT count(*) FROM pragma_database_list WHERE name <> 'temp') AS databases,
  (SELECT count(*) FROM sqlite_temp_schema) AS temporary, total_changes() AS changes`;

interface State {
  readonly [name: string]: unknown;
}

const readers = new WeakMap<Database, () => State>();

/** Returns the settings and counters of a connection that no statement of a reading tool may change. */
function stateOf(database: Database): State {
  let read = readers.get(database);
  if (read === undefined) {
    const statement = database.prepare<[], State>(STATE);
    read = () => ({ ...statement.get(), transaction: database.inTransaction });
    readers.set(database, read);
  }
  return read();
}

async function run(
  { query, mode }: FuzzOperations['run']['input'],
  context: OperationContext,
): Promise<FuzzOperations['run']['output']> {
  const { database, configuration } = context;
  const before = stateOf(database);
  let isRun = true;
  try {
    if (mode === 'read') readQuery(database, { query }, configuration);
    else if (mode === 'write')
      await executeStatements(
        { statements: [{ query }], kinds: ['rows'], isBatch: false },
        context,
      );
    else runUnchecked(database, query, mode);
  } catch {
    isRun = false;
  }
  const after = stateOf(database);
  const harm = Object.keys(after)
    .filter((name) => after[name] !== before[name] && !(mode === 'write' && name === 'changes'))
    .map((name) => `${name}: ${String(before[name])} became ${String(after[name])}`);
  return { isRun, harm };
}

function runUnchecked(database: Database, query: string, mode: FuzzMode): void {
  const statement = database.prepare(query);
  if (mode === 'read-without-tokens') {
    if (!statement.readonly || !statement.reader) throw new Error('refused');
    checkProgram(database, query);
  }
  if (!statement.reader) statement.run();
  else for (const _ of statement.iterate()) break;
}

if (isMainThread)
  await startExecutor(new URL(import.meta.url), () => ({
    run: (input, context) => run(input as FuzzOperations['run']['input'], context), // Sent by runFuzz.
  }));
else watchProcess(workerData as WatchdogOptions); // Set by startExecutor.
