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
/**
 * Checks that follow a hint or a change, at doubling distances up to `POLL_MS`, for about ten
 * seconds: a commit in WAL mode becomes visible only after its file is on the disk, without a hint.
 */
const MAX_RECHECKS = 13;
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
  /** Number of checks without a change since the last hint or change. */
  #rechecks = MAX_RECHECKS;
  #seen: Seen | undefined;
  /** Whether the watch began without a version to compare with. */
  #hasMissed = false;

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
    this.#hasMissed = false;
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
        if (file !== null && !this.#files.has(file)) return;
        this.#rechecks = 0;
        this.#checkSoon(COALESCE_MS);
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
    if (this.#compare(now)) this.#rechecks = 0;
    if (this.#hints !== hints) this.#checkSoon(COALESCE_MS);
    else if (now === undefined || this.#watcher === undefined) this.#checkSoon(POLL_MS);
    else if (this.#rechecks < MAX_RECHECKS)
      this.#checkSoon(Math.min(POLL_MS, COALESCE_MS * 2 ** this.#rechecks++));
  }

  /**
   * Reports a change, and returns whether there was one. After a failed first check a change cannot
   * be excluded, so that it is reported.
   */
  #compare(now: Seen | undefined): boolean {
    const [before, hasMissed] = [this.#seen, this.#hasMissed];
    this.#hasMissed = before === undefined && now === undefined;
    if (now === undefined) return false;
    this.#seen = now;
    const change = before === undefined ? { isSchema: true } : changeBetween(before, now);
    if (change === undefined || (before === undefined && !hasMissed)) return false;
    this.#options.onChange(change);
    return true;
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
}

/** Versions of two connections cannot be compared; then the files must do. */
function changeBetween(before: Seen, now: Seen): DatabaseChange | undefined {
  const isSameConnection = before.version.connection === now.version.connection;
  const isSchema = before.version.schema !== now.version.schema;
  const isData = isSameConnection
    ? before.version.data !== now.version.data
    : before.signature !== now.signature;
  return isSchema || isData ? { isSchema } : undefined;
}

/** Returns a text that changes with the content of a file, without reading it. */
function signatureOf(path: string): string {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file === undefined ? '' : [file.dev, file.ino, file.size, file.mtimeNs].join(':');
}
