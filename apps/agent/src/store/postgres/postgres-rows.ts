import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { BuiltQueries, camelCase, record, type Built } from '../built-queries.ts';
import type { Database } from '../database.ts';
import type { LockMode, Query, Rows } from '../rows.ts';
import { toStoredText } from './stored-text.ts';

/** A connection, or a pool that executes each query on any connection. */
type Queries = Pick<pg.Pool | pg.PoolClient, 'query'>;

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
        queries.query(text, values.map(toColumn)),
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

  async lock(name: string, mode: LockMode = 'exclusive'): Promise<void> {
    const shared = mode === 'shared' ? '_shared' : '';
    await this.#queries.query({
      name: `lock${shared}`,
      text: `select pg_advisory_xact_lock${shared}(${String(ROW_LOCKS)}, hashtext(current_schema() || $1))`,
      values: [name],
    });
  }

  async #execute<V extends object>(
    query: Query<V, unknown>,
    values: V,
  ): Promise<readonly [Prepared, pg.QueryArrayResult<unknown[]>]> {
    const [prepared, bound] = this.#prepared.prepare(this.kysely, query, values);
    const { name, text } = prepared;
    const result = await this.#queries.query<unknown[]>({
      name,
      text,
      values: bound.map(toColumn),
      rowMode: 'array',
    });
    return [prepared, result];
  }
}

/** Converts a value for a column. Columns of numbers hold whole numbers. */
export function toColumn(value: unknown): unknown {
  if (typeof value === 'string') return toStoredText(value);
  return typeof value === 'number' ? Math.round(value) : value;
}
