import { statSync } from 'node:fs';
import type DatabaseConstructor from 'better-sqlite3';
import type { Database } from 'better-sqlite3';

export interface DatabaseSessionOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** Constructor of better-sqlite3, which loads the native library. */
  readonly Database: typeof DatabaseConstructor;
}

/**
 * A read-only connection, opened on first use and reopened when the file at the path was replaced.
 */
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
    this.#open?.database.close();
    this.#open = undefined;
    const database = this.#connect();
    this.#open = { database, identity };
    return database;
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
    const { path, busyTimeoutMs, Database } = this.#options;
    const database = new Database(path, {
      readonly: true,
      fileMustExist: true,
      timeout: busyTimeoutMs,
    });
    database.pragma('trusted_schema = 0');
    database.pragma('cell_size_check = 1');
    // Sort in memory, where the memory limit applies, instead of on the disk.
    database.pragma('temp_store = MEMORY');
    return database;
  }
}
