import { statSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ServedDatabase } from '../databases.ts';
import type { DatabaseVersion } from '../executor/protocol.ts';

export interface DatabaseChange {
  /** Whether tables or views were created, changed or dropped. */
  readonly isSchema: boolean;
}

export interface DatabaseWatchOptions {
  readonly database: Pick<ServedDatabase, 'name' | 'path' | 'readers'>;
  readonly onChange: (change: DatabaseChange) => void;
  readonly warn: (message: string) => void;
  /** Default: `node:fs` watch. */
  readonly openWatch?: typeof watch;
}

interface Seen {
  readonly version: DatabaseVersion;
  readonly signature: string;
}

/** Time in which changes of the files are one check. */
const COALESCE_MS = 100;
/** Distance of checks while the system does not report changes or a check has failed. */
const POLL_MS = 1000;

/**
 * Watches one database while somebody wants to know. Changes of its files are hints: a query process
 * then compares the version of the data and the schema.
 */
export class DatabaseWatch {
  readonly #options: DatabaseWatchOptions;
  readonly #files: ReadonlySet<string>;
  #count = 0;
  #started: Promise<void> | undefined;
  #abort = new AbortController();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;
  /** Number of hints so far. */
  #hints = 0;
  #seen: Seen | undefined;

  constructor(options: DatabaseWatchOptions) {
    this.#options = options;
    const name = basename(options.database.path);
    this.#files = new Set([name, `${name}-wal`, `${name}-journal`]);
  }

  /** Whether the files are watched or polled. */
  get isActive(): boolean {
    return this.#count > 0;
  }

  /**
   * Begins to watch, unless it does already. Resolves when further changes are detected. The result
   * ends the watch with the last of its users.
   */
  async attach(): Promise<() => void> {
    this.#count += 1;
    this.#started ??= this.#start();
    let isAttached = true;
    const detach = (): void => {
      if (!isAttached) return;
      isAttached = false;
      this.#count -= 1;
      if (this.#count === 0) this.close();
    };
    await this.#started;
    return detach;
  }

  close(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#watcher?.close();
    clearTimeout(this.#timer);
    this.#watcher = undefined;
    this.#timer = undefined;
    this.#started = undefined;
    this.#seen = undefined;
    this.#isChecking = false;
  }

  async #start(): Promise<void> {
    this.#openWatcher();
    await this.#check();
  }

  #openWatcher(): void {
    const { database, openWatch = watch, warn } = this.#options;
    try {
      const watcher = openWatch(dirname(database.path), { persistent: false }, (_event, file) => {
        if (file === null || this.#files.has(file)) this.#checkSoon(COALESCE_MS);
      });
      watcher.on('error', () => {
        watcher.close();
        if (this.#watcher !== watcher) return;
        this.#watcher = undefined;
        this.#checkSoon(POLL_MS);
      });
      this.#watcher = watcher;
    } catch (error) {
      warn(
        `the folder of the database ${database.name} cannot be watched (${String(error)}); it is checked every ${POLL_MS} ms`,
      );
    }
  }

  #checkSoon(delayMs: number): void {
    this.#hints += 1;
    if (this.#isChecking || this.#timer !== undefined) return;
    const { signal } = this.#abort;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!signal.aborted) void this.#check();
    }, delayMs).unref();
  }

  async #check(): Promise<void> {
    const { signal } = this.#abort;
    const hints = this.#hints;
    this.#isChecking = true;
    const now = await this.#look(signal);
    if (signal.aborted) return;
    this.#isChecking = false;
    const before = this.#seen;
    if (now !== undefined) this.#seen = now;
    if (now !== undefined && before !== undefined) this.#report(before, now);
    if (this.#hints !== hints) this.#checkSoon(COALESCE_MS);
    else if (now === undefined || this.#watcher === undefined) this.#checkSoon(POLL_MS);
  }

  /** Returns the present version; `undefined` when the database cannot be read. */
  async #look(signal: AbortSignal): Promise<Seen | undefined> {
    const { path, readers } = this.#options.database;
    // Before the version, so that a change in between is noticed the next time.
    const signature = [path, `${path}-wal`].map(signatureOf).join();
    try {
      return { version: await readers.run('database-version', {}, signal), signature };
    } catch {
      return undefined;
    }
  }

  /** Versions of two connections cannot be compared; then the files must do. */
  #report(before: Seen, now: Seen): void {
    const isSameConnection = before.version.connection === now.version.connection;
    const isSchema = before.version.schema !== now.version.schema;
    const isData = isSameConnection
      ? before.version.data !== now.version.data
      : before.signature !== now.signature;
    if (isSchema || isData) this.#options.onChange({ isSchema });
  }
}

/** Returns a text that changes with the content of a file, without reading it. */
function signatureOf(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file === undefined ? '' : [file.dev, file.ino, file.size, file.mtimeNs].join(':');
}
