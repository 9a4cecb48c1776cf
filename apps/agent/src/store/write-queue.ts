import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds after which a transaction takes no further writes, so that the event loop keeps serving requests. */
const MAX_GROUP_MS = 5;

/** Consecutive urgent writes after which another write is run. */
const MAX_URGENT_IN_A_ROW = 8;

/** Runs work in a transaction, and rolls back when it throws. */
export type Transact = (work: () => Promise<void>) => Promise<void>;

interface Write {
  /** Runs the work and keeps its result. */
  readonly run: () => Promise<void>;
  /** Resolves the caller's promise with the result. */
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs one write at a time: urgent writes, for which a client waits, before others, and each kind in
 * FIFO order. The writes of one turn of the event loop share a transaction, because a commit costs as
 * much as several of them. When one of them or the commit fails, the transaction is rolled back, and
 * each of its writes runs again in a transaction of its own.
 */
export class WriteQueue {
  readonly #transact: Transact;
  readonly #urgent: Write[] = [];
  readonly #others: Write[] = [];
  #urgentInARow = 0;
  #isRunning = false;

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  /**
   * Runs work in a transaction and resolves after the commit. `work` may run again after a rollback.
   * @throws the error of the work or of its transaction
   */
  run<T>(
    work: () => Promise<T>,
    { urgent = false }: { readonly urgent?: boolean } = {},
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let result: T;
    (urgent ? this.#urgent : this.#others).push({
      run: async () => {
        result = await work();
      },
      resolve: () => resolve(result),
      reject,
    });
    if (!this.#isRunning) void this.#runAll();
    return promise;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    do {
      // Until then, further writes join the next transaction.
      await nextTurn();
      const first = this.#take();
      if (first !== undefined) await this.#runTogether(first);
    } while (this.#urgent.length + this.#others.length > 0);
    this.#isRunning = false;
  }

  async #runTogether(first: Write): Promise<void> {
    const group = [first];
    try {
      await this.#transact(async () => {
        const endAt = performance.now() + MAX_GROUP_MS;
        await first.run();
        while (performance.now() < endAt) {
          const next = this.#take();
          if (next === undefined) break;
          group.push(next);
          await next.run();
        }
      });
    } catch (error) {
      if (group.length === 1) first.reject(error);
      else for (const write of group) await this.#runAlone(write);
      return;
    }
    for (const { resolve } of group) resolve();
  }

  async #runAlone({ run, resolve, reject }: Write): Promise<void> {
    await this.#transact(run).then(resolve, reject);
    await nextTurn();
  }

  #take(): Write | undefined {
    const isUrgent =
      this.#urgent.length > 0 &&
      (this.#others.length === 0 || this.#urgentInARow < MAX_URGENT_IN_A_ROW);
    this.#urgentInARow = isUrgent ? this.#urgentInARow + 1 : 0;
    return isUrgent ? this.#urgent.shift() : this.#others.shift();
  }
}
