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

/** A result that is there at once in an embedded database, and later in a server. */
export type Awaitable<T> = T | Promise<T>;

/** The rows of a database, outside of a transaction or within one. */
export interface Rows {
  /** For queries that are executed rarely: it builds each of them anew. */
  readonly kysely: Kysely<Database>;
  /** Returns the rows of a query. */
  rows<V extends object, R>(query: Query<V, R>, values: V): Awaitable<readonly R[]>;
  /** Returns the first row of a query. */
  first<V extends object, R>(query: Query<V, R>, values: V): Awaitable<R | undefined>;
  /** Executes a query without rows. Returns the number of rows that it changed. */
  run<V extends object>(query: Query<V, unknown>, values: V): Awaitable<number>;
}
