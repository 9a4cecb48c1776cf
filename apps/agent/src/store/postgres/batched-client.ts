import type pg from 'pg';
import {
  Batch,
  PreparedStatements,
  type Statement,
  type StatementResult,
  type WaitingStatement,
} from './batch.ts';
import { parserOf } from './postgres-client.ts';
import { camelCase } from '../built-queries.ts';

/**
 * A connection that sends the statements of one turn of the event loop in one batch. Statements are
 * sent without waiting for the results of earlier ones.
 */
export class BatchedClient {
  readonly #client: pg.ClientBase;
  readonly #known = new PreparedStatements();
  #waiting: WaitingStatement[] = [];

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  /** @throws the error of the statement; SkippedError */
  query<R>(statement: Statement): Promise<StatementResult<R>> {
    const { promise, resolve, reject } = Promise.withResolvers<StatementResult<unknown>>();
    if (this.#waiting.length === 0) process.nextTick(() => this.#flush());
    this.#waiting.push({ statement, resolve, reject });
    // The caller names the columns of its statement.
    return promise as Promise<StatementResult<R>>;
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#client.query(new Batch(waiting, { known: this.#known, parserOf, nameOf: camelCase }));
  }
}
