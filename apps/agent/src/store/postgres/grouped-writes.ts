import { setImmediate as nextTurn } from 'node:timers/promises';
import { StorageError } from '../../ports/store/errors.ts';
import type { RowLocks } from '../../ports/store.ts';

/** Transactions that run at the same time. While one waits for its commit, the next one collects works. */
const MAX_TRANSACTIONS = 2;

/** Maximum number of works in a transaction. */
const MAX_WORKS = 64;

/** Milliseconds after which works that run alone no longer count as a transaction. */
const MAX_WAIT_MS = 50;

/** Work that waits for a transaction. */
export interface Work<R, L = unknown> {
  readonly locks: RowLocks;
  /** Runs the work and keeps its result. `locked` is what was read with its locks. */
  readonly run: (rows: R, locked?: L) => Promise<void>;
}

interface Waiting<R, L> extends Work<R, L> {
  /** Resolves the caller's promise with the result. */
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface Transactions<R, L = unknown> {
  /** Runs works in one transaction. Returns those whose rows other transactions have locked, without running them. */
  readonly together: <W extends Work<R, L>>(works: readonly W[]) => Promise<readonly W[]>;
  /** Runs work in a transaction of its own, again when the database gave it up. */
  readonly alone: (locks: RowLocks, work: Work<R, L>['run']) => Promise<void>;
}

/**
 * Runs the works that wait in shared transactions, because round trips and a commit cost as much as
 * several works. When one of them or the commit fails, the transaction is rolled back, and each of
 * its works runs again in a transaction of its own.
 */
export class GroupedWrites<R, L = unknown> {
  readonly #transactions: Transactions<R, L>;
  readonly #waiting: Waiting<R, L>[] = [];
  #running = 0;

  constructor(transactions: Transactions<R, L>) {
    this.#transactions = transactions;
  }

  /** Resolves after the commit. */
  run<T>(locks: RowLocks, work: (rows: R, locked?: L) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let result: T;
    this.#waiting.push({
      locks,
      run: async (rows, locked) => {
        result = await work(rows, locked);
      },
      resolve: () => resolve(result),
      reject,
    });
    if (this.#running < MAX_TRANSACTIONS) void this.#runAll();
    return promise;
  }

  async #runAll(): Promise<void> {
    this.#running += 1;
    do {
      // Until then, further works join the transaction.
      await nextTurn();
      const works = this.#waiting.splice(0, MAX_WORKS);
      await this.#runGroup(works);
    } while (this.#waiting.length > 0);
    this.#running -= 1;
  }

  async #runGroup(works: readonly Waiting<R, L>[]): Promise<void> {
    const rest = works.length > 1 ? await this.#runTogether(works) : works;
    const alone = Promise.all(
      rest.map(({ locks, run, resolve, reject }) =>
        this.#transactions.alone(locks, run).then(resolve, reject),
      ),
    );
    // Works that wait for the locks of other transactions do not hold up those after them.
    const { promise: isLate, resolve: giveUp } = Promise.withResolvers<void>();
    const timer = setTimeout(giveUp, MAX_WAIT_MS);
    await Promise.race([alone, isLate]);
    clearTimeout(timer);
  }

  /** Returns the works to run alone. */
  async #runTogether(works: readonly Waiting<R, L>[]): Promise<readonly Waiting<R, L>[]> {
    try {
      const rest = await this.#transactions.together(works);
      for (const work of works) if (!rest.includes(work)) work.resolve();
      return rest;
    } catch (error) {
      if (!(error instanceof StorageError)) return works;
      // It is unknown whether the works were stored.
      for (const { reject } of works) reject(error);
      return [];
    }
  }
}
