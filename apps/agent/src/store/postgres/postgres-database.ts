import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { StorageError } from '../../ports/store/errors.ts';
import type { RowLocks } from '../../ports/store.ts';
import type { Query, Rows } from '../rows.ts';
import { isDisconnected, isGivenUp, isStaleStatement, storageErrorOf } from './postgres-errors.ts';
import { PostgresRows, PreparedQueries } from './postgres-rows.ts';

/** Milliseconds for which work is repeated while the database cannot be reached. */
const MAX_OUTAGE_MS = 5000;
/**
 * Maximum number of attempts of a transaction that ends in a deadlock or a serialization failure.
 */
const MAX_ATTEMPTS = 20;
/** Longest pause between two attempts, before jitter, in milliseconds. */
const MAX_PAUSE_MS = 500;

export interface PostgresDatabaseOptions {
  readonly pool: pg.Pool;
  /** Address without password, for error texts. */
  readonly name: string;
}

/**
 * Locks the thread of a run and then the run, so that all transactions take the locks in the same
 * order.
 */
const lockRun: Query<{ readonly id: string }, unknown> = (db, { id }) => ({
  compile: () =>
    sql`select id from runs where id = ${id} and (
      select count(*) from (
        select id from threads
        where id = (select thread_id from runs where id = ${id}) for no key update
      ) as thread
    ) >= 0 for no key update`.compile(db),
});

const lockThread: Query<{ readonly id: string }, unknown> = (db, { id }) =>
  db.selectFrom('threads').select('id').where('id', '=', id).forNoKeyUpdate();

/** Transactions and reads on the connections of a pool. */
export class PostgresDatabase {
  /** The rows outside of a transaction. */
  readonly rows: Rows;
  readonly #pool: pg.Pool;
  readonly #name: string;
  readonly #prepared = new PreparedQueries();
  readonly #rowsOf = new WeakMap<pg.PoolClient, PostgresRows>();

  constructor({ pool, name }: PostgresDatabaseOptions) {
    this.#pool = pool;
    this.#name = name;
    const query = (first: pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> =>
      this.#repeat(() => pool.query(first, values));
    // The pool declares its function once for each kind of parameters.
    this.rows = new PostgresRows({ query: query as pg.Pool['query'] }, this.#prepared);
  }

  /**
   * Runs work in a transaction that first locks rows, and rolls back when it throws. The work is run
   * again when the database gave up the transaction, when the connection ended before the commit, or
   * when a later version has added columns meanwhile.
   * @throws StorageError
   */
  transaction<T>(locks: RowLocks, work: (rows: PostgresRows) => Promise<T>): Promise<T> {
    return this.#repeat(async () => {
      const client = await this.#pool.connect();
      let isUsable = true;
      try {
        return await this.#attempt(client, locks, work);
      } catch (error) {
        isUsable = !isDisconnected(error) && !isStaleStatement(error) && (await rollBack(client));
        throw error;
      } finally {
        client.release(!isUsable);
      }
    });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #attempt<T>(
    client: pg.PoolClient,
    { run, thread }: RowLocks,
    work: (rows: PostgresRows) => Promise<T>,
  ): Promise<T> {
    let rows = this.#rowsOf.get(client);
    if (rows === undefined)
      this.#rowsOf.set(client, (rows = new PostgresRows(client, this.#prepared)));
    await client.query('begin isolation level read committed');
    if (thread !== undefined) await rows.rows(lockThread, { id: thread });
    if (run !== undefined) await rows.rows(lockRun, { id: run });
    const result = await work(rows);
    await this.#commit(client);
    return result;
  }

  async #commit(client: pg.PoolClient): Promise<void> {
    let command: string;
    try {
      ({ command } = await client.query('commit'));
    } catch (error) {
      if (!isDisconnected(error)) throw error;
      throw new StorageError(
        'unreachable',
        `the connection to the database ${this.#name} ended during a commit, and it is unknown whether the change was stored`,
        { cause: error },
      );
    }
    // The work caught the error of a statement, after which PostgreSQL only rolls back.
    if (command !== 'COMMIT')
      throw new Error('The transaction was rolled back because a statement in it failed.');
  }

  /**
   * Retries work that had no effect, until it succeeds or the limits are reached.
   * @throws StorageError
   */
  async #repeat<T>(work: () => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + MAX_OUTAGE_MS;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (isStaleStatement(error) && performance.now() < giveUpAt) continue;
        const isRepeated =
          (isGivenUp(error) && attempt < MAX_ATTEMPTS) ||
          (isDisconnected(error) && performance.now() < giveUpAt);
        if (!isRepeated) throw storageErrorOf(error, this.#name);
        await sleep(Math.min(MAX_PAUSE_MS, 5 * 2 ** attempt) * Math.random());
      }
    }
  }
}

/** Returns whether the connection can be used again. */
async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}
