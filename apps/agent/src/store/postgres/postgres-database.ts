import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { StorageError } from '../../ports/store/errors.ts';
import type { RowLocks } from '../../ports/store.ts';
import type { RunRow } from '../locked-run.ts';
import type { Rows } from '../rows.ts';
import { SkippedError, type Statement, type StatementResult } from './batch.ts';
import { BatchedClient } from './batched-client.ts';
import { GroupedWrites, type Work } from './grouped-writes.ts';
import {
  isDisconnected,
  isGivenUp,
  isRefused,
  isStaleStatement,
  isUnchanged,
  isWithoutConnection,
  storageErrorOf,
} from './postgres-errors.ts';
import { PostgresRows, PreparedQueries } from './postgres-rows.ts';
import {
  LOCK_RUNS,
  LOCK_THREADS,
  lockedRow,
  lockRun,
  lockThread,
  unlessErased,
  type WantedRun,
  type WantedThread,
} from './row-locks.ts';
import { TransactionQueries, type TransactionMode } from './transaction-queries.ts';

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
  /** Receives the message of each kind of statement that the server refuses, once. */
  readonly onRefused?: ((message: string) => void) | undefined;
}

/** The row of the run that a transaction has locked; undefined if it has none. */
type LockedRow = Promise<RunRow | undefined>;

/** A connection of the pool. */
interface Session {
  readonly client: BatchedClient;
  readonly queries: TransactionQueries;
  readonly rows: PostgresRows;
}

/** Transactions and reads on the connections of a pool. */
export class PostgresDatabase {
  /** The rows outside of a transaction. */
  readonly rows: Rows;
  readonly #pool: pg.Pool;
  readonly #name: string;
  readonly #onRefused: PostgresDatabaseOptions['onRefused'];
  readonly #refusals = new Set<string>();
  readonly #prepared = new PreparedQueries();
  readonly #sessions = new WeakMap<pg.PoolClient, Session>();
  readonly #grouped: GroupedWrites<PostgresRows, LockedRow>;

  constructor({ pool, name, onRefused }: PostgresDatabaseOptions) {
    this.#pool = pool;
    this.#name = name;
    this.#onRefused = onRefused;
    const query = <R>(statement: Statement): Promise<StatementResult<R>> =>
      this.#repeat(() => this.#query<R>(statement));
    const send = async (statement: Statement): Promise<void> => {
      await query(statement);
    };
    const refuse = (): never => {
      throw new Error('This needs a transaction.');
    };
    this.rows = new PostgresRows(
      { query, send, sendLast: refuse, alone: refuse, isCareful: true },
      this.#prepared,
    );
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
    work: (rows: PostgresRows, row?: LockedRow) => Promise<T>,
    { urgent = false }: { readonly urgent?: boolean | undefined } = {},
  ): Promise<T> {
    return urgent || (locks.run === undefined && locks.thread === undefined)
      ? this.#runAlone(locks, work)
      : this.#grouped.run(locks, work);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  #runAlone<T>(
    { run, thread }: RowLocks,
    work: (rows: PostgresRows, row?: LockedRow) => Promise<T>,
  ): Promise<T> {
    const attempt = (isCareful: boolean): Promise<T> =>
      this.#attempt({ isAlone: true, isCareful }, ({ rows }) => {
        if (thread !== undefined) void rows.send(lockThread, { id: thread });
        if (run === undefined) return work(rows);
        const row = rows.first(lockRun, { id: run }).then(unlessErased);
        // A failure rejects the transaction.
        row.catch(() => undefined);
        return work(rows, row);
      });
    return this.#repeat(async () => {
      try {
        return await attempt(false);
      } catch (error) {
        if (!isUnchanged(error)) throw error;
        return attempt(true);
      }
    });
  }

  /**
   * Runs works in one transaction: at the same time, or one after the other if they lock the same
   * rows. Returns the works that it did not run, because other transactions have locked their rows:
   * the works do not wait for each other's locks.
   */
  async #runTogether<W extends Work<PostgresRows, LockedRow>>(
    works: readonly W[],
  ): Promise<readonly W[]> {
    return this.#attempt({ isAlone: false, isCareful: false }, async ({ queries, rows }) => {
      const runIds = works.flatMap(({ locks: { run } }) => run ?? []);
      const threadIds = works.flatMap(({ locks: { thread } }) => thread ?? []);
      const [threads, runs] = await Promise.all([
        queries.query<WantedThread>({
          name: 'lock_threads',
          text: LOCK_THREADS,
          values: [arrayOf(threadIds), arrayOf(runIds)],
        }),
        queries.query<WantedRun>({
          name: 'lock_runs',
          text: LOCK_RUNS,
          values: [arrayOf(runIds)],
        }),
      ]);
      const runOf = new Map(runs.rows.map((row) => [row.wanted, row]));
      const busy = new Set([
        ...threads.rows.flatMap(({ id, isLocked }) => (isLocked === 1 ? [] : id)),
        ...runs.rows.flatMap(({ id, wanted }) => (id === null ? wanted : [])),
      ]);
      const keyOf = ({ locks: { run = '', thread } }: W): string =>
        runOf.get(run)?.thread ?? thread ?? run;
      const isBusy = (work: W): boolean => busy.has(keyOf(work)) || busy.has(work.locks.run ?? '');
      const queues = Map.groupBy(
        works.filter((work) => !isBusy(work)),
        keyOf,
      );
      const results = await Promise.allSettled(
        [...queues.values()].map(async (queue) => {
          for (const [index, work] of queue.entries()) {
            const wanted = work.locks.run === undefined ? undefined : runOf.get(work.locks.run);
            // Works before it may have changed the row.
            const row = index === 0 && wanted !== undefined ? lockedRow(wanted) : undefined;
            await work.run(rows, row && Promise.resolve(unlessErased(row)));
          }
        }),
      );
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      return works.filter(isBusy);
    });
  }

  /** Runs work in a transaction, once. */
  async #attempt<T>(mode: TransactionMode, work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    const session = this.#sessionOf(client);
    const { queries } = session;
    let isUsable = true;
    try {
      queries.begin(mode);
      const result = await work(session);
      await queries.check();
      await this.#commit(queries);
      return result;
    } catch (failure) {
      const error = failure instanceof StorageError ? failure : queries.firstError(failure);
      const isEnded = isDisconnected(error) || error instanceof StorageError;
      isUsable = !isEnded && !isStaleStatement(error) && (await queries.rollBack());
      // By now the results of all statements are known.
      throw isUsable ? queries.firstError(error) : error;
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
          ((isDisconnected(error) || isWithoutConnection(error)) && performance.now() < giveUpAt);
        if (!isRepeated) throw this.#converted(error);
        await sleep(Math.min(MAX_PAUSE_MS, 5 * 2 ** attempt) * Math.random());
      }
    }
  }

  /** Converts an error of the server or of the connection, and reports a new refusal. */
  #converted(error: unknown): unknown {
    const converted = storageErrorOf(error, this.#name);
    if (isRefused(error) && converted instanceof StorageError) {
      const { message } = converted;
      if (!this.#refusals.has(message)) this.#onRefused?.(message);
      this.#refusals.add(message);
    }
    return converted;
  }
}

/** Returns texts as the text of an array. */
function arrayOf(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/gu, String.raw`\$&`)}"`).join(',')}}`;
}
