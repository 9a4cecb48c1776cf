/** Reports the failure of a writing statement, whose transaction was rolled back. */
export class StatementError extends Error {
  readonly sql: string;
  readonly #index: number | undefined;

  /** `index` is the position in a batch, from 0; `cause` is the failure. */
  constructor(sql: string, cause: unknown, index?: number) {
    super('a statement failed', { cause });
    this.name = 'StatementError';
    this.#index = index;
    this.sql = sql;
  }

  /** Returns the text of the failure, in a batch with the index of the statement. */
  describe(failure: string): string {
    return this.#index === undefined
      ? failure
      : `Statement index ${this.#index} failed, so that none of the statements was applied. ${failure}`;
  }
}
