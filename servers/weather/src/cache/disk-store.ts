import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A cached value and the time it was stored, in milliseconds since the epoch. */
export interface CacheEntry<Value> {
  readonly value: Value;
  readonly storedAt: number;
}

/** Storage of the entries of one cache. */
export interface StoredEntries<Value> {
  /** Resolves with `undefined` for an entry that is missing or cannot be read. */
  read(key: string): Promise<CacheEntry<Value> | undefined>;
  /** Writes in the background. */
  write(key: string, entry: CacheEntry<Value>): void;
}

/** Version of the stored values; files of any other version are ignored. */
const FORMAT = 1;
const MAX_FILES = 5000;
/** Writes between two removals of the oldest files. */
const WRITES_PER_CLEANUP = 500;

/**
 * Keeps cache entries as one JSON file each in a directory, which must belong to this user alone:
 * its contents are trusted. Holds at most about 5000 files; the oldest are removed. A failed write
 * is reported, and the value is then cached in memory only.
 */
export class DiskStore {
  readonly #directory: string;
  readonly #warn: (message: string) => void;
  #writes = 0;

  constructor(directory: string, warn: (message: string) => void) {
    this.#directory = directory;
    this.#warn = warn;
  }

  /** Creates the directory, and removes the oldest files. @throws Error when it cannot be used */
  async open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await this.#removeOldest();
  }

  /** Returns the storage of one kind of values. */
  entries<Value>(kind: string): StoredEntries<Value> {
    return {
      read: (key) => this.#read<Value>(kind, key),
      write: (key, entry) => void this.#write(kind, key, entry),
    };
  }

  async #read<Value>(kind: string, key: string): Promise<CacheEntry<Value> | undefined> {
    try {
      const file = JSON.parse(await readFile(this.#path(kind, key), 'utf8')) as Partial<
        StoredFile<Value>
      >;
      const { format, kind: storedKind, key: storedKey, storedAt, value } = file;
      const isOwn = format === FORMAT && storedKind === kind && storedKey === key;
      if (!isOwn || typeof storedAt !== 'number' || value === undefined) return undefined;
      return storedAt <= Date.now() ? { value, storedAt } : undefined;
    } catch {
      return undefined; // Missing, or damaged by a crash: it is requested again.
    }
  }

  async #write(kind: string, key: string, entry: CacheEntry<unknown>): Promise<void> {
    const path = this.#path(kind, key);
    const temporary = `${path}.${process.pid}-${(this.#writes += 1)}.tmp`;
    const file: StoredFile<unknown> = { format: FORMAT, kind, key, ...entry };
    try {
      await writeFile(temporary, JSON.stringify(file), { mode: 0o600 });
      await rename(temporary, path);
      if (this.#writes % WRITES_PER_CLEANUP === 0) await this.#removeOldest();
    } catch (error) {
      this.#warn(`--cache-dir: a value could not be stored: ${String(error)}`);
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  #path(kind: string, key: string): string {
    const hash = createHash('sha256').update(key).digest('hex').slice(0, 32);
    return join(this.#directory, `${kind}-${hash}.json`);
  }

  async #removeOldest(): Promise<void> {
    const names = (await readdir(this.#directory)).filter((name) =>
      /^[a-z]+-[0-9a-f]{32}\.json/.test(name),
    );
    if (names.length <= MAX_FILES) return;
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#directory, name);
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
        return { path, mtimeMs };
      }),
    );
    const oldest = files.toSorted((a, b) => a.mtimeMs - b.mtimeMs);
    const excess = oldest.slice(0, files.length - Math.floor(MAX_FILES * 0.9));
    await Promise.all(excess.map(({ path }) => rm(path, { force: true })));
  }
}

interface StoredFile<Value> extends CacheEntry<Value> {
  readonly format: number;
  readonly kind: string;
  readonly key: string;
}
