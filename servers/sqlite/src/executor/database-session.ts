import { statSync } from 'node:fs';
import type DatabaseConstructor from 'better-sqlite3';
import type { Database } from 'better-sqlite3';

export interface DatabaseSessionOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** Whether the connection may write; otherwise it is read-only. */
  readonly isWriter: boolean;
  /** Constructor of better-sqlite3, which loads the native library. */
  readonly Database: typeof DatabaseConstructor;
}

/** Size of the WAL file in bytes above which the writer checkpoints and truncates it. */
const MAX_WAL_BYTES = 16 * 2 ** 20;

/** A connection, opened on first use and reopened when the file at the path was replaced. */
export class DatabaseSession {
  readonly #options: DatabaseSessionOptions;
  #open: { readonly database: Database; readonly identity: string } | undefined;

  constructor(options: DatabaseSessionOptions) {
    this.#options = options;
  }

  /** The connection of the last successful `use`. */
  get current(): Database | undefined {
    return this.#open?.database;
  }

  /** @throws Error when the file is gone; SqliteError when it cannot be opened. */
  use(): Database {
    const identity = this.#identify();
    if (this.#open?.identity === identity) return this.#open.database;
    this.close();
    const database = this.#connect();
    this.#open = { database, identity };
    return database;
  }

  /** @throws Error when the file at the path is no longer the open one, so that a commit would be lost. */
  checkFile(): void {
    if (this.#open?.identity !== this.#identify())
      throw new Error(
        `The database file ${this.#options.path} was replaced during the write; nothing was applied. Try again.`,
      );
  }

  /**
   * Writes a large WAL file back into the database and truncates it. Waits for readers up to the busy
   * timeout, and leaves the file as it is when they take longer.
   */
  limitWal(): void {
    const { path, isWriter } = this.#options;
    if (!isWriter || this.#open === undefined) return;
    const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
    if (wal !== undefined && wal.size > MAX_WAL_BYTES)
      this.#open.database.pragma('wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #identify(): string {
    const file = statSync(this.#options.path, { bigint: true, throwIfNoEntry: false });
    if (file === undefined)
      throw new Error(`The database file ${this.#options.path} no longer exists.`);
    if (!file.isFile())
      throw new Error(
        `In place of the database file ${this.#options.path} there is ${file.isDirectory() ? 'a directory' : 'something that is not a file'} now.`,
      );
    return `${file.dev}:${file.ino}`;
  }

  #connect(): Database {
    const { path, busyTimeoutMs, isWriter, Database } = this.#options;
    const database = new Database(path, {
      readonly: !isWriter,
      fileMustExist: true,
      timeout: busyTimeoutMs,
    });
    database.pragma('trusted_schema = 0');
    database.pragma('cell_size_check = 1');
    // Sort in memory, where the memory limit applies, instead of on the disk.
    database.pragma('temp_store = MEMORY');
    if (isWriter) {
      database.pragma('foreign_keys = ON');
      // A reported commit survives a power failure in WAL mode too.
      database.pragma('synchronous = FULL');
      database.pragma(`journal_size_limit = ${MAX_WAL_BYTES}`);
    }
    return database;
  }
}
