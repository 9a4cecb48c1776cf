/** Thrown when the store cannot write at present. */
export class StorageError extends Error {
  /**
   * `full`: the disk is full; `broken`: the disk cannot be read or written; `lost`: the files were
   * removed or replaced; `busy`: other processes wrote for longer than a write waits, or the server
   * of the database has too much to do; `unreachable`: there is no connection to that server.
   */
  readonly reason: 'full' | 'broken' | 'lost' | 'busy' | 'unreachable';

  constructor(reason: StorageError['reason'], message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'StorageError';
    this.reason = reason;
  }
}

/** Whether a read or write failed only because the database was busy or could not be reached. */
export function isTemporary(error: unknown): boolean {
  return error instanceof StorageError && ['busy', 'unreachable'].includes(error.reason);
}

/** Thrown when a stored value cannot be parsed because its row was changed or damaged outside of the service. */
export class DamagedRowError extends Error {
  constructor(column: string, options: ErrorOptions = {}) {
    super(`the stored ${column} is damaged and cannot be read`, options);
    this.name = 'DamagedRowError';
  }
}

/** Thrown for a pagination cursor that this service did not issue. */
export class InvalidCursorError extends Error {
  constructor() {
    super('the cursor is not from this service; leave it out to start from the first page');
    this.name = 'InvalidCursorError';
  }
}
