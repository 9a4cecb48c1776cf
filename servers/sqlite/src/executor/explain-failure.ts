import type { Database } from 'better-sqlite3';
import { tokenize } from '../guard/tokenize.ts';
import { closeNames } from './close-names.ts';
import { cutText } from './encode-cell.ts';
import { StatementError } from './statement-error.ts';

interface SqliteFailure extends Error {
  readonly code: string;
}

const HINTS: readonly (readonly [prefix: string, hint: string])[] = [
  ['SQLITE_BUSY', 'Another process holds a lock on the database; try again later.'],
  ['SQLITE_LOCKED', 'Another process holds a lock on the database; try again later.'],
  ['SQLITE_NOTADB', 'The file is not an SQLite database, or it is encrypted.'],
  ['SQLITE_CORRUPT', 'The database file is damaged; PRAGMA integrity_check says where.'],
  [
    'SQLITE_CANTOPEN',
    'The database file, or a file beside it that SQLite needs (-wal, -shm), cannot be opened.',
  ],
  ['SQLITE_IOERR', 'The file system reported an error; the disk may be full or damaged.'],
  ['SQLITE_FULL', 'The disk is full, or the database has reached its size limit.'],
  [
    'SQLITE_READONLY_DBMOVED',
    'The database file was replaced or deleted while it was open; try again.',
  ],
  [
    'SQLITE_READONLY',
    'The database is open for reading only, or needs a recovery that only a writing program can do.',
  ],
  ['SQLITE_TOOBIG', 'A string or BLOB is too large; ask for a part of it with substr().'],
];
const MAX_LISTED_COLUMNS = 60;
const MAX_MESSAGE_BYTES = 4096;
// A view without columns is broken: the query for its columns would fail.
const TABLES =
  "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND (type <> 'view' OR ncol > 0) ORDER BY name";

export interface FailureDescription {
  /** Error text for the model. */
  readonly message: string;
  /** Code of SQLite. */
  readonly code?: string;
}

/**
 * Describes the error of an operation: SQLite's message and, where it helps, existing names or
 * advice, in at most 4096 bytes. Names are suggested for the statement that failed, or for the
 * `query` of the input.
 */
export function describeFailure(
  error: unknown,
  input: unknown,
  database: Database | undefined,
): FailureDescription {
  const isStatement = error instanceof StatementError;
  const failure = isStatement ? error.cause : error;
  const text = explain(failure, isStatement ? error.sql : queryOf(input), database);
  const message = cutText(isStatement ? error.describe(text) : text, MAX_MESSAGE_BYTES);
  return failure instanceof Error && isSqliteFailure(failure)
    ? { message, code: failure.code }
    : { message };
}

function queryOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('query' in input)) return undefined;
  return typeof input.query === 'string' ? input.query : undefined;
}

function explain(error: unknown, sql: string | undefined, database: Database | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (!isSqliteFailure(error)) return error.message;
  const hint = HINTS.find(([prefix]) => error.code.startsWith(prefix))?.[1];
  const advice =
    hint ??
    (database === undefined || sql === undefined
      ? undefined
      : trySuggestNames(error.message, sql, database));
  return `${error.code}: ${error.message}${advice === undefined ? '' : `. ${advice}`}`;
}

function isSqliteFailure(error: Error): error is SqliteFailure {
  return 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_');
}

/** Suggests names if possible. A damaged or locked schema must not hide the failure itself. */
function trySuggestNames(message: string, sql: string, database: Database): string | undefined {
  try {
    return suggestNames(message, sql, database);
  } catch {
    return undefined;
  }
}

function suggestNames(message: string, sql: string, database: Database): string | undefined {
  const missing = /^no such (table|column): (.+)$/.exec(message);
  if (missing === null) return undefined;
  const tables = database.prepare<[], string>(TABLES).pluck().all();
  const name = (missing[2] ?? '').replace(/^main\./, '');
  if (missing[1] === 'table')
    return tables.length === 0
      ? 'The database has no tables'
      : `Existing tables: ${closeNames(name, tables).join(', ')}`;
  const mentioned = new Set(tokenize(sql).map((token) => token.text.toLowerCase()));
  const used = tables.filter((table) => mentioned.has(table.toLowerCase()));
  const columns = used
    .flatMap((table) => listColumns(database, table))
    .slice(0, MAX_LISTED_COLUMNS);
  return columns.length === 0 ? undefined : `Existing columns: ${columns.join(', ')}`;
}

function listColumns(database: Database, table: string): string[] {
  const names = database
    .prepare<[string], string>("SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden <> 1")
    .pluck()
    .all(table);
  return names.map((name) => `${table}.${name}`);
}
