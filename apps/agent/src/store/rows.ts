import type { CompiledQuery, Kysely } from 'kysely';
import type { Database } from './database.ts';

/**
 * Builds a query. It is called once for each combination of values that are present, with
 * placeholders in their places, so it may branch only on whether a value is undefined.
 */
export type Query<V extends object, R> = (
  db: Kysely<Database>,
  values: V,
) => { compile(): CompiledQuery<R> };

/** A result that an embedded database returns synchronously, and a server as a promise. */
export type Awaitable<T> = T | Promise<T>;

/** `shared`: several transactions have the lock at once, unless one has it as `exclusive`. */
export type LockMode = 'shared' | 'exclusive';

/** The rows of a database, outside of a transaction or within one. */
export interface Rows {
  /** Language of the database, for the few queries that differ. */
  readonly dialect: 'sqlite' | 'postgres';
  /** Query builder for rare queries; builds the query for each execution. */
  readonly kysely: Kysely<Database>;
  /** Returns the rows of a query. */
  rows<V extends object, R>(query: Query<V, R>, values: V): Awaitable<readonly R[]>;
  /** Returns the first row of a query. */
  first<V extends object, R>(query: Query<V, R>, values: V): Awaitable<R | undefined>;
  /** Executes a query without rows. Returns the number of rows that it changed. */
  run<V extends object>(query: Query<V, unknown>, values: V): Awaitable<number>;
  /**
   * Executes a query without rows that should change a row, and returns whether it did. A server may
   * return true before it is known; when it turns out to be false, the transaction is rolled back and
   * its work runs again.
   */
  changes<V extends object>(query: Query<V, unknown>, values: V): Awaitable<boolean>;
  /**
   * Executes a query without rows whose result is not needed. Within a transaction it does not wait
   * for a server; a failure then rejects the transaction.
   */
  send<V extends object>(query: Query<V, unknown>, values: V): Awaitable<void>;
  /**
   * Executes a query without rows in front of the commit, under the exclusive lock `lock`, which
   * transactions so hold only for a moment. A database that runs one write transaction at a time
   * executes it at once.
   */
  sendLast<V extends object>(lock: string, query: Query<V, unknown>, values: V): Awaitable<void>;
  /** Makes sure that the transaction runs one work only; otherwise it is rolled back, and its works run again. */
  alone(): void;
  /**
   * Takes a lock by its name until the end of the transaction. Default mode: `exclusive`. It has no
   * effect in a database that runs one write transaction at a time.
   */
  lock(name: string, mode?: LockMode): Awaitable<void>;
}
