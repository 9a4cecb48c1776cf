import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { StorageError } from '../../ports/store/errors.ts';
import type { RowLocks } from '../../ports/store.ts';
import type { Query, Rows } from '../rows.ts';
import { SkippedError, type Statement, type StatementResult } from './batch.ts';
import { BatchedClient } from './batched-client.ts';
import { GroupedWrites, type Work } from './grouped-writes.ts';
import { isDisconnected, isGivenUp, isStaleStatement, storageErrorOf } from './postgres-errors.ts';
import { PostgresRows, PreparedQueries } from './postgres-rows.ts';
import { TransactionQueries } from './transaction-queries.ts';

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

/** A connection of the pool. */
interface Session {
  readonly client: BatchedClient;
  readonly queries: TransactionQueries;
  readonly rows: PostgresRows;
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

/** Locks the threads $1, and those of the runs $2, that no other transaction has locked. */
const LOCK_THREADS = `with wanted as (
    select unnest($1::text[]) as id union select thread_id from runs where id = any($2::text[])
  )
  select threads.id, locked.id is not null as "isLocked" from threads
  left join (
    select id from threads where id = any(array(select id from wanted)) order by id
    for no key update skip locked
  ) as locked on locked.id = threads.id
  where threads.id = any(array(select id from wanted))`;

/** Locks the runs $1 that no other transaction has locked. */
const LOCK_RUNS = `select runs.id, thread_id as thread, locked.id is not null as "isLocked" from runs
  left join (
    select id from runs where id = any($1::text[]) order by id for no key update skip locked
  ) as locked on locked.id = runs.id
  where runs.id = any($1::text[])`;

/** A row that a transaction of several works wants to lock. */
interface WantedRow {
  readonly id: string;
  readonly thread?: string | null;
  /** 1: the transaction has the lock. 0: another transaction has it. */
  readonly isLocked: number;
}

/** Transactions and reads on the connections of a pool. */
export class PostgresDatabase {
  /** The rows outside of a transaction. */
  readonly rows: Rows;
  readonly #pool: pg.Pool;
  readonly #name: string;
  readonly #prepared = new PreparedQueries();
  readonly #sessions = new WeakMap<pg.PoolClient, Session>();
  readonly #grouped: GroupedWrites<PostgresRows>;

  constructor({ pool, name }: PostgresDatabaseOptions) {
    this.#pool = pool;
    this.#name = name;
    const query = <R>(statement: Statement): Promise<StatementResult<R>> =>
      this.#repeat(() => this.#query<R>(statement));
    const send = async (statement: Statement): Promise<void> => {
      await query(statement);
    };
    const refuse = (): never => {
      throw new Error('This needs a transaction.');
    };
    this.rows = new PostgresRows({ query, send, sendLast: refuse, alone: refuse }, this.#prepared);
    this.#grouped = new GroupedWrites({
      together: (works) => this.#runTogether(works),
      alone: (locks, work) => this.#runAlone(locks, work),
    });
  }

  /**
   * Runs work in a transaction that first locks rows, and rolls back when it throws. Works that lock
   * rows can share a transaction. The work is run again when its transaction failed because of another
   * work, when the database gave it up, when the connection ended before the commit, or when a later
   * version has added columns meanwhile. `urgent`: in a transaction of its own, at once.
   * @throws StorageError
   */
  transaction<T>(
    locks: RowLocks,
    work: (rows: PostgresRows) => Promise<T>,
    { urgent = false }: { readonly urgent?: boolean | undefined } = {},
  ): Promise<T> {
    return urgent || (locks.run === undefined && locks.thread === undefined)
      ? this.#runAlone(locks, work)
      : this.#grouped.run(locks, work);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  #runAlone<T>({ run, thread }: RowLocks, work: (rows: PostgresRows) => Promise<T>): Promise<T> {
    return this.#repeat(() =>
      this.#attempt(true, ({ rows }) => {
        if (thread !== undefined) void rows.send(lockThread, { id: thread });
        if (run !== undefined) void rows.send(lockRun, { id: run });
        return work(rows);
      }),
    );
  }

  /**
   * Runs works in one transaction: at the same time, or one after the other if they lock the same
   * rows. Returns the works that it did not run, because other transactions have locked their rows:
   * the works do not wait for each other's locks.
   */
  async #runTogether<W extends Work<PostgresRows>>(works: readonly W[]): Promise<readonly W[]> {
    return this.#attempt(false, async ({ queries, rows }) => {
      const runIds = works.flatMap(({ locks: { run } }) => run ?? []);
      const threadIds = works.flatMap(({ locks: { thread } }) => thread ?? []);
      const [threads, runs] = await Promise.all([
        queries.query<WantedRow>({
          name: 'lock_threads',
          text: LOCK_THREADS,
          values: [arrayOf(threadIds), arrayOf(runIds)],
        }),
        queries.query<WantedRow>({
          name: 'lock_runs',
          text: LOCK_RUNS,
          values: [arrayOf(runIds)],
        }),
      ]);
      const threadOf = new Map(runs.rows.map(({ id, thread }) => [id, thread ?? undefined]));
      const busy = new Set(
        [...threads.rows, ...runs.rows].flatMap(({ id, isLocked }) => (isLocked === 1 ? [] : id)),
      );
      const keyOf = ({ locks: { run = '', thread } }: W): string =>
        threadOf.get(run) ?? thread ?? run;
      const isBusy = (work: W): boolean => busy.has(keyOf(work)) || busy.has(work.locks.run ?? '');
      const queues = Map.groupBy(
        works.filter((work) => !isBusy(work)),
        keyOf,
      );
      const results = await Promise.allSettled(
        [...queues.values()].map(async (queue) => {
          for (const work of queue) await work.run(rows);
        }),
      );
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      return works.filter(isBusy);
    });
  }

  /** Runs work in a transaction, once. */
  async #attempt<T>(isAlone: boolean, work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    const session = this.#sessionOf(client);
    const { queries } = session;
    let isUsable = true;
    try {
      queries.begin(isAlone);
      const result = await work(session);
      await queries.check();
      await this.#commit(queries);
      return result;
    } catch (failure) {
      const error = failure instanceof StorageError ? failure : queries.firstError(failure);
      const isEnded = isDisconnected(error) || error instanceof StorageError;
      isUsable = !isEnded && !isStaleStatement(error) && (await queries.rollBack());
      throw error;
    } finally {
      client.release(!isUsable);
    }
  }

  /** Executes a statement outside of a transaction, once. */
  async #query<R>(statement: Statement): Promise<StatementResult<R>> {
    const client = await this.#pool.connect();
    let isUsable = false;
    try {
      const result = await this.#sessionOf(client).client.query<R>(statement);
      isUsable = true;
      return result;
    } finally {
      client.release(!isUsable);
    }
  }

  #sessionOf(pooled: pg.PoolClient): Session {
    let session = this.#sessions.get(pooled);
    if (session === undefined) {
      const client = new BatchedClient(pooled);
      const queries = new TransactionQueries(client);
      session = { client, queries, rows: new PostgresRows(queries, this.#prepared) };
      this.#sessions.set(pooled, session);
    }
    return session;
  }

  async #commit(queries: TransactionQueries): Promise<void> {
    let command: string;
    try {
      command = await queries.commit();
    } catch (error) {
      // After a statement that failed, the server does not commit.
      if (error instanceof SkippedError) throw error.cause;
      if (!isDisconnected(error) || !isDisconnected(queries.firstError(error))) throw error;
      throw new StorageError(
        'unreachable',
        `the connection to the database ${this.#name} ended during a commit, and it is unknown whether the change was stored`,
        { cause: error },
      );
    }
    // A statement failed, after which PostgreSQL only rolls back.
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

/** Returns texts as the text of an array. */
function arrayOf(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"`).join(',')}}`;
}
