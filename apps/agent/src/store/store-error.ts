/** Thrown when the store cannot be opened. The message names the data directory and what to do. */
export class StoreError extends Error {
  readonly code: 'locked' | 'newer_database' | 'unusable';

  constructor(code: StoreError['code'], message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StoreError';
    this.code = code;
  }
}
