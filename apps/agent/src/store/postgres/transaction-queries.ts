import type { Statement, StatementResult } from './batch.ts';
import type { BatchedClient } from './batched-client.ts';
import type { Queries } from './postgres-rows.ts';

const BEGIN: Statement = {
  name: 'begin',
  text: 'begin isolation level read committed',
  values: [],
};
const COMMIT: Statement = { name: 'commit', text: 'commit', values: [] };
const ROLLBACK: Statement = { name: 'rollback', text: 'rollback', values: [] };

/** Thrown when work needs a transaction of its own. */
export class NotAloneError extends Error {}

export interface TransactionMode {
  readonly isAlone: boolean;
  readonly isCareful: boolean;
}

/**
 * The queries of a connection in its transactions, one after the other. Queries are sent without
 * waiting for the results of earlier ones; after a failure the server refuses further queries until
 * the end of the transaction.
 */
export class TransactionQueries implements Queries {
  readonly #client: BatchedClient;
  #failure: { readonly error: unknown } | undefined;
  #last: { readonly lock: Statement; readonly query: Statement }[] = [];
  #isAlone = true;
  #isCareful = false;
  #begun: Promise<unknown> = Promise.resolve();

  constructor(client: BatchedClient) {
    this.#client = client;
  }

  get isCareful(): boolean {
    return this.#isCareful;
  }

  /**
   * Begins a transaction. `isAlone`: whether it runs one work only; `isCareful`: whether it awaits the
   * results of changes.
   */
  begin({ isAlone, isCareful }: TransactionMode): void {
    this.#failure = undefined;
    this.#last = [];
    this.#isAlone = isAlone;
    this.#isCareful = isCareful;
    this.#begun = this.query(BEGIN);
    this.#begun.catch(() => undefined);
  }

  async query<R>(query: Statement): Promise<StatementResult<R>> {
    try {
      return await this.#client.query<R>(query);
    } catch (error) {
      // Later queries fail only because the transaction is aborted.
      this.#failure ??= { error };
      throw error;
    }
  }

  send(query: Statement): void {
    this.query(query).catch(() => undefined);
  }

  sendLast(lock: Statement, query: Statement): void {
    this.#last.push({ lock, query });
  }

  alone(): void {
    if (!this.#isAlone) throw new NotAloneError();
  }

  /** Returns the error of the first query that failed, or else the given error. */
  firstError(error: unknown): unknown {
    return this.#failure === undefined ? error : this.#failure.error;
  }

  /** Rejects if a query has failed, or if the connection ended while it was idle. */
  async check(): Promise<void> {
    await this.#begun;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Commits, and returns the command that the server executed. */
  async commit(): Promise<string> {
    const locked = new Set<unknown>();
    for (const { lock, query } of this.#last) {
      const key = JSON.stringify(lock.values);
      if (!locked.has(key)) this.send(lock);
      locked.add(key);
      this.send(query);
    }
    return (await this.#client.query(COMMIT)).command;
  }

  /** Rolls back. Returns whether the connection can be used again. */
  async rollBack(): Promise<boolean> {
    try {
      await this.#client.query(ROLLBACK);
      return true;
    } catch {
      return false;
    }
  }
}
