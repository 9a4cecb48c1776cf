import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { CamelCasePlugin, Kysely, SqliteDialect } from 'kysely';
import { cachedStatements } from './cached-statements.ts';
import type { Database } from './database.ts';
import { BuiltQueries, camelCase, record, type Built } from './built-queries.ts';
import type { Query, Rows } from './rows.ts';
import { StorageError } from '../ports/store/errors.ts';
import { isBusyError } from './storage-errors.ts';

/** Milliseconds for which a transaction waits for the write lock of other processes. */
const MAX_BUSY_MS = 10_000;
/** Longest pause between two attempts to get the write lock, before jitter, in milliseconds. */
const MAX_PAUSE_MS = 8;

/** A query in the SQL of SQLite. */
interface Compiled extends Built {
  readonly sql: string;
}

interface Prepared {
  readonly statement: Sqlite.Statement;
  /** Property names of a result row. */
  readonly names: readonly string[];
}

/** The queries of all connections of this process: the SQL of a query is the same for each database. */
const compiledQueries = new BuiltQueries<Compiled>(({ sql, parameters }) => ({ sql, parameters }));

export interface ConnectionOptions {
  /** Milliseconds for which a transaction waits for the write lock of other processes. Default: 10,000. */
  readonly maxBusyMs?: number;
  /**
   * Another connection to the same database, which executes the queries of this one while it has no
   * transaction. It has the pages that it wrote in its cache; this connection reads them again
   * after each commit.
   */
  readonly beside?: Connection;
}

/**
 * A connection to the database. Each query is built once in the process and prepared once for the connection;
 * later executions only bind values.
 */
export class Connection implements Rows {
  readonly dialect = 'sqlite';
  readonly kysely: Kysely<Database>;
  readonly #database: Sqlite.Database;
  readonly #begin: Sqlite.Statement;
  readonly #commit: Sqlite.Statement;
  #isIdle = true;
  readonly #maxBusyMs: number;
  readonly #beside: Connection | undefined;
  #prepared = new WeakMap<Compiled, Prepared>();

  constructor(
    database: Sqlite.Database,
    { maxBusyMs = MAX_BUSY_MS, beside }: ConnectionOptions = {},
  ) {
    this.#database = database;
    this.#beside = beside;
    this.#maxBusyMs = maxBusyMs;
    // The write lock is taken before the first read, so that no other process changes what is read.
    this.#begin = database.prepare('begin immediate');
    this.#commit = database.prepare('commit');
    this.kysely = new Kysely<Database>({
      dialect: new SqliteDialect({ database: cachedStatements(database) }),
      plugins: [new CamelCasePlugin()],
    });
  }

  /** Whether the connection is open and has no transaction in progress. */
  get isIdle(): boolean {
    return this.#isIdle;
  }

  rows<V extends object, R>(query: Query<V, R>, values: V): readonly R[] {
    if (this.#beside?.isIdle === true) return this.#beside.rows(query, values);
    const [{ statement, names }, bound] = this.#prepare(query, values);
    const rows = statement.all(bound) as (readonly unknown[])[];
    // The builder declares the row of its query.
    return rows.map((row) => record(names, row) as R);
  }

  first<V extends object, R>(query: Query<V, R>, values: V): R | undefined {
    if (this.#beside?.isIdle === true) return this.#beside.first(query, values);
    const [{ statement, names }, bound] = this.#prepare(query, values);
    const row = statement.get(bound) as readonly unknown[] | undefined;
    // The builder declares the row of its query.
    return row && (record(names, row) as R);
  }

  run<V extends object>(query: Query<V, unknown>, values: V): number {
    const [{ statement }, bound] = this.#prepare(query, values);
    return statement.run(bound).changes;
  }

  changes<V extends object>(query: Query<V, unknown>, values: V): boolean {
    return this.run(query, values) > 0;
  }

  send<V extends object>(query: Query<V, unknown>, values: V): void {
    this.run(query, values);
  }

  sendLast<V extends object>(_lock: string, query: Query<V, unknown>, values: V): void {
    this.run(query, values);
  }

  /** Has no effect: the works of a transaction run one after the other. */
  alone(): void {}

  /** Has no effect: a write transaction has the lock of the database. */
  lock(): void {}

  /**
   * Runs work in a transaction that has the write lock of the database, and rolls back when it
   * throws. The caller makes sure that nothing else uses the connection meanwhile.
   * @throws StorageError `busy` when other processes write for too long
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isBegun()) await this.#beginWhenFree();
    this.#isIdle = false;
    try {
      const result = await work();
      this.#commit.run();
      return result;
    } catch (error) {
      // SQLite itself rolls back on a full or broken disk.
      if (this.#database.inTransaction) this.#database.exec('rollback');
      throw error;
    } finally {
      this.#isIdle = this.#database.open;
    }
  }

  async close(): Promise<void> {
    this.#isIdle = false;
    this.#prepared = new WeakMap();
    await this.kysely.destroy();
    // Kysely does not close a database that it never used.
    this.#database.close();
  }

  /** Returns the statement of a query and its parameters with these values. */
  #prepare<V extends object>(
    query: Query<V, unknown>,
    values: V,
  ): readonly [Prepared, readonly unknown[]] {
    const [compiled, bound] = compiledQueries.prepare(this.kysely, query, values);
    let prepared = this.#prepared.get(compiled);
    if (prepared === undefined) {
      prepared = toPrepared(this.#database.prepare(compiled.sql));
      this.#prepared.set(compiled, prepared);
    }
    return [prepared, bound];
  }

  /** Begins a transaction unless another connection has the write lock. */
  #isBegun(): boolean {
    try {
      this.#begin.run();
      return true;
    } catch (error) {
      if (!isBusyError(error)) throw error;
      return false;
    }
  }

  /** Begins a transaction when another process has released the write lock. The event loop runs meanwhile. */
  async #beginWhenFree(): Promise<void> {
    const giveUpAt = performance.now() + this.#maxBusyMs;
    for (let pauseMs = 1; !this.#isBegun(); pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      if (performance.now() > giveUpAt)
        throw new StorageError(
          'busy',
          `other processes have been writing to the database for ${this.#maxBusyMs / 1000} s; nothing was changed, try again later`,
        );
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }
}

function toPrepared(statement: Sqlite.Statement): Prepared {
  if (!statement.reader) return { statement, names: [] };
  const names = statement.columns().map(({ name }) => camelCase(name));
  return { statement: statement.raw(true), names };
}
