import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { BuiltQueries, camelCase, record, type Built } from '../built-queries.ts';
import type { Database } from '../database.ts';
import type { Awaitable, LockMode, Query, Rows } from '../rows.ts';
import { toStoredText } from './stored-text.ts';

/** Executes queries: a pool, each on any connection, or a connection in its transaction. */
export interface Queries {
  query<R>(query: pg.QueryConfig & { readonly rowMode?: 'array' }): Promise<QueryResult<R>>;
  /** Executes a query whose result is not needed. A transaction reports its failure at the commit. */
  send(query: pg.QueryConfig): Awaitable<void>;
  /** Executes a query in front of the commit of a transaction, after the query that locks. */
  sendLast(lock: pg.QueryConfig, query: pg.QueryConfig): Awaitable<void>;
  /** @throws Error when the transaction runs several works, which then run again, each in its own. */
  alone(): void;
}

export interface QueryResult<R> {
  readonly rows: readonly R[];
  readonly rowCount: number | null;
  readonly fields: readonly { readonly name: string }[];
}

/** A query that a connection prepares once and then knows by its name. */
interface Prepared extends Built {
  readonly name: string;
  readonly text: string;
  /** Property names of a result row. */
  names: readonly string[] | undefined;
}

/** Kind of the advisory locks of rows, beside those of the database. */
const ROW_LOCKS = 0x5167_0001;

/** The queries of all connections to a database: each is built once. */
export class PreparedQueries extends BuiltQueries<Prepared> {
  #count = 0;

  constructor() {
    super(({ sql, parameters }) => ({
      name: `q${(this.#count += 1)}`,
      text: sql,
      parameters,
      names: undefined,
    }));
  }
}

/** The rows of a PostgreSQL database, on a pool or on the connection of a transaction. */
export class PostgresRows implements Rows {
  readonly dialect = 'postgres';
  readonly kysely: Kysely<Database>;
  readonly #queries: Queries;
  readonly #prepared: PreparedQueries;

  constructor(queries: Queries, prepared: PreparedQueries) {
    this.#queries = queries;
    this.#prepared = prepared;
    const client = {
      query: (text: string, values: readonly unknown[]) =>
        queries.query({ text, values: values.map(toColumn) }),
      release: () => undefined,
    };
    const dialect = new PostgresDialect({
      // The declared type of a client has cursors too, which the store does not use.
      pool: {
        connect: async () => client as never,
        end: async () => undefined,
        options: {},
      },
    });
    this.kysely = new Kysely<Database>({ dialect, plugins: [new CamelCasePlugin()] });
  }

  async rows<V extends object, R>(query: Query<V, R>, values: V): Promise<readonly R[]> {
    const [prepared, result] = await this.#execute(query, values);
    const names = (prepared.names ??= result.fields.map(({ name }) => camelCase(name)));
    // The builder declares the row of its query.
    return result.rows.map((row) => record(names, row) as R);
  }

  async first<V extends object, R>(query: Query<V, R>, values: V): Promise<R | undefined> {
    return (await this.rows(query, values))[0];
  }

  async run<V extends object>(query: Query<V, unknown>, values: V): Promise<number> {
    const [, result] = await this.#execute(query, values);
    return result.rowCount ?? 0;
  }

  send<V extends object>(query: Query<V, unknown>, values: V): Awaitable<void> {
    return this.#queries.send(this.#bind(query, values)[1]);
  }

  sendLast<V extends object>(lock: string, query: Query<V, unknown>, values: V): Awaitable<void> {
    return this.#queries.sendLast(lockQuery(lock, 'exclusive'), this.#bind(query, values)[1]);
  }

  alone(): void {
    this.#queries.alone();
  }

  lock(name: string, mode: LockMode = 'exclusive'): Awaitable<void> {
    if (mode === 'exclusive') this.alone();
    return this.#queries.send(lockQuery(name, mode));
  }

  async #execute<V extends object>(
    query: Query<V, unknown>,
    values: V,
  ): Promise<readonly [Prepared, QueryResult<unknown[]>]> {
    const [prepared, bound] = this.#bind(query, values);
    return [prepared, await this.#queries.query<unknown[]>({ ...bound, rowMode: 'array' })];
  }

  #bind<V extends object>(
    query: Query<V, unknown>,
    values: V,
  ): readonly [Prepared, pg.QueryConfig] {
    const [prepared, bound] = this.#prepared.prepare(this.kysely, query, values);
    const { name, text } = prepared;
    return [prepared, { name, text, values: bound.map(toColumn) }];
  }
}

function lockQuery(name: string, mode: LockMode): pg.QueryConfig {
  const shared = mode === 'shared' ? '_shared' : '';
  return {
    name: `lock${shared}`,
    text: `select pg_advisory_xact_lock${shared}(${String(ROW_LOCKS)}, hashtext(current_schema() || $1))`,
    values: [name],
  };
}

/** Converts a value for a column. Columns of numbers hold whole numbers. */
export function toColumn(value: unknown): unknown {
  if (typeof value === 'string') return toStoredText(value);
  return typeof value === 'number' ? Math.round(value) : value;
}
