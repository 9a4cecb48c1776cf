import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import { BuiltQueries, type Built } from '../built-queries.ts';
import type { Statement, StatementResult } from './batch.ts';
import type { Database } from '../database.ts';
import type { Awaitable, LockMode, Query, Rows } from '../rows.ts';
import { toStoredText } from './stored-text.ts';

/** Executes queries: a pool, each on any connection, or a connection in its transaction. */
export interface Queries {
  query<R>(statement: Statement): Promise<StatementResult<R>>;
  /** Executes a query whose result is not needed. A transaction reports its failure at the commit. */
  send(statement: Statement): Awaitable<void>;
  /** Whether the results of changes are awaited. */
  readonly isCareful: boolean;
  /** Executes a query in front of the commit of a transaction, after the query that locks. */
  sendLast(lock: Statement, statement: Statement): Awaitable<void>;
  /** @throws Error when the transaction runs several works, which then run again, each in its own. */
  alone(): void;
}

/** A query that a connection prepares once and then knows by its name. */
interface Prepared extends Built {
  readonly name: string;
  readonly text: string;
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
        queries.query({ text, values: values.map(toParameter) }),
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
    const result = await this.#queries.query<R>(this.#bind(query, values));
    return result.rows;
  }

  async first<V extends object, R>(query: Query<V, R>, values: V): Promise<R | undefined> {
    return (await this.rows(query, values))[0];
  }

  async run<V extends object>(query: Query<V, unknown>, values: V): Promise<number> {
    const result = await this.#queries.query(this.#bind(query, values));
    return result.rowCount;
  }

  async changes<V extends object>(query: Query<V, unknown>, values: V): Promise<boolean> {
    if (this.#queries.isCareful) return (await this.run(query, values)) > 0;
    const { name = '', text, values: bound } = this.#bind(query, values);
    await this.#queries.send({
      name: `${name}_changes`,
      // Without a change, a division by zero fails the transaction.
      text: `with changed as (${text} returning 1) select 1 / count(*) from changed`,
      values: bound,
    });
    return true;
  }

  send<V extends object>(query: Query<V, unknown>, values: V): Awaitable<void> {
    return this.#queries.send(this.#bind(query, values));
  }

  sendLast<V extends object>(lock: string, query: Query<V, unknown>, values: V): Awaitable<void> {
    return this.#queries.sendLast(lockQuery(lock, 'exclusive'), this.#bind(query, values));
  }

  alone(): void {
    this.#queries.alone();
  }

  lock(name: string, mode: LockMode = 'exclusive'): Awaitable<void> {
    if (mode === 'exclusive') this.alone();
    return this.#queries.send(lockQuery(name, mode));
  }

  #bind<V extends object>(query: Query<V, unknown>, values: V): Statement {
    const [{ name, text }, bound] = this.#prepared.prepare(this.kysely, query, values);
    return { name, text, values: bound.map(toParameter) };
  }
}

function lockQuery(name: string, mode: LockMode): Statement {
  const shared = mode === 'shared' ? '_shared' : '';
  return {
    name: `lock${shared}`,
    text: `select pg_advisory_xact_lock${shared}(${String(ROW_LOCKS)}, hashtext(current_schema() || $1))`,
    values: [name],
  };
}

/** Converts a value for a parameter of a statement. */
function toParameter(value: unknown): string | Buffer | null {
  const column = toColumn(value);
  if (column === null || column === undefined) return null;
  if (column instanceof Uint8Array)
    return Buffer.from(column.buffer, column.byteOffset, column.byteLength);
  switch (typeof column) {
    case 'string':
      return column;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(column);
    default:
      throw new TypeError('A parameter of a statement is a text, a number, a boolean or bytes.');
  }
}

/** Converts a value for a column. Columns of numbers hold whole numbers. */
export function toColumn(value: unknown): unknown {
  if (typeof value === 'string') return toStoredText(value);
  return typeof value === 'number' ? Math.round(value) : value;
}
