import type { Database, Statement } from 'better-sqlite3';
import { checkQuery } from '../guard/check-query.ts';
import { type PreparedQuery, prepareQuery, SCHEMA_READER } from './prepare-query.ts';

/** Number of statements that a connection keeps. */
const MAX_KEPT = 64;
/** Longest text of a statement that is kept, in UTF-16 code units. */
const MAX_KEPT_LENGTH = 4096;

const kept = new WeakMap<Database, PreparedQueries>();

/**
 * Runs `work` with a reading statement, which is compiled and inspected only once as long as the
 * schema stays the same, and with a function that returns the size of the database.
 * @throws RefusedQueryError, SqliteError
 */
export function withPreparedQuery<Result>(
  database: Database,
  sql: string,
  work: (query: PreparedQuery, databaseBytes: () => number) => Result,
): Result {
  let queries = kept.get(database);
  if (queries === undefined) {
    queries = new PreparedQueries(database);
    kept.set(database, queries);
  }
  const { databaseBytes } = queries;
  return queries.run(sql, (query) => work(query, databaseBytes));
}

/** The reading statements of one connection that were used last. */
class PreparedQueries {
  readonly #database: Database;
  readonly #begin: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #schemaVersion: Statement<[], number>;
  readonly #schemaReader: Statement<[]>;
  /** Returns the bytes of the database as a transaction sees it. */
  readonly databaseBytes: () => number;
  /** Statements by their text, the one used last at the end. */
  readonly #queries = new Map<string, PreparedQuery>();
  /** Version of the schema that the connection has read, with which they were inspected. */
  #version: number | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#begin = database.prepare('BEGIN');
    this.#commit = database.prepare('COMMIT');
    const pragma = (name: string) => database.prepare<[], number>(`PRAGMA ${name}`).pluck(true);
    this.#schemaVersion = pragma('schema_version');
    this.#schemaReader = database.prepare(SCHEMA_READER);
    const [pages, pageSize] = [pragma('page_count'), pragma('page_size')];
    this.databaseBytes = () => (pages.get() ?? 0) * (pageSize.get() ?? 0);
  }

  run<Result>(sql: string, work: (query: PreparedQuery) => Result): Result {
    if (!this.#canKeep(sql)) return work(prepareQuery(this.#database, sql));
    // In a transaction nobody changes the schema between the inspection and the end of the query.
    this.#begin.run();
    try {
      return work(this.#find(sql));
    } finally {
      // Some failures have ended the transaction.
      if (this.#database.inTransaction) this.#commit.run();
    }
  }

  #canKeep(sql: string): boolean {
    if (sql.length > MAX_KEPT_LENGTH || this.#database.inTransaction) return false;
    if (this.#queries.has(sql)) return true;
    const { keyword } = checkQuery(sql);
    // A PRAGMA may depend on the transaction.
    return keyword !== 'pragma' && keyword !== 'explain';
  }

  #find(sql: string): PreparedQuery {
    const version = this.#schemaVersion.get();
    if (version !== this.#version) {
      this.#queries.clear();
      this.#schemaReader.get();
      this.#version = version;
    }
    const query = this.#queries.get(sql) ?? prepareQuery(this.#database, sql, true);
    this.#queries.delete(sql);
    this.#queries.set(sql, query);
    const [oldest] = this.#queries.keys();
    if (this.#queries.size > MAX_KEPT && oldest !== undefined) this.#queries.delete(oldest);
    return query;
  }
}
