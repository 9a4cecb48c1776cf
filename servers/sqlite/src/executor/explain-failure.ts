import type { Database } from 'better-sqlite3';
import { tokenize } from '../guard/tokenize.ts';
import { closeNames } from './close-names.ts';
import { cutText } from './encode-cell.ts';
import type { ExecutorRequest } from './protocol.ts';

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

/**
 * Returns the error text for the model: SQLite's message and, where it helps, existing names or
 * advice. At most 4096 bytes.
 */
export function explainFailure(
  error: unknown,
  request: ExecutorRequest,
  database: Database | undefined,
): string {
  return cutText(explain(error, request, database), MAX_MESSAGE_BYTES);
}

function explain(error: unknown, request: ExecutorRequest, database: Database | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (!isSqliteFailure(error)) return error.message;
  const hint = HINTS.find(([prefix]) => error.code.startsWith(prefix))?.[1];
  const advice =
    hint ??
    (database === undefined || !('query' in request.input)
      ? undefined
      : trySuggestNames(error.message, request.input.query, database));
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
