import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql, type Kysely } from 'kysely';
import type { Clock } from '../ports/clock.ts';
import { messageOf } from '../text/error-text.ts';
import { assembleStore } from './assemble-store.ts';
import { ChangeFeed } from './change-feed.ts';
import { Connection } from './connection.ts';
import { createPrivateFile, lockDataDir, type DataDirLock, type Sharing } from './data-dir-lock.ts';
import type { Database } from './database.ts';
import { migrate, tablesOf } from './migrations/migrate.ts';
import type { Migrations } from './migrations/migrations.ts';
import type { OpenedStore } from './opened-store.ts';
import { storageErrors, watchFile } from './storage-errors.ts';
import type { WorkerRole } from '../ports/store/worker.ts';
import { StoreError } from './store-error.ts';
import { TABLES } from './tables.ts';
import { WriteQueue } from './write-queue.ts';

export interface RunStoreOptions {
  /** Data directory, created with mode 0700 if missing. */
  readonly dataDir: string;
  /** `process`: commits survive the death of the process; `power`: also a power failure. */
  readonly durability: 'process' | 'power';
  readonly clock: Clock;
  /**
   * Part of the service that this process runs. Default: `all`, which uses the data directory alone;
   * processes of the other roles share it.
   */
  readonly role?: WorkerRole;
  /** Migrations of a later version, for tests. Default: none. */
  readonly furtherMigrations?: Migrations | undefined;
}

/**
 * Opens the embedded store with one write connection, which runs one write at a time, and a
 * read-only connection. A shared store is migrated only by a process that is alone; processes that
 * open it at the same time wait for each other.
 * @throws StoreError `locked`, `newer_database`, `unusable`
 */
export async function openStore({
  dataDir,
  durability,
  clock,
  role = 'all',
  furtherMigrations,
}: RunStoreOptions): Promise<OpenedStore> {
  const sharing = role === 'all' ? 'alone' : 'shared';
  const dirLock = await prepareDataDir(dataDir, sharing);
  const file = join(dataDir, 'signalbox.sqlite');
  const connections: Connection[] = [];
  const close = async (): Promise<void> => {
    for (const connection of connections.toReversed()) await connection.close();
    dirLock.release();
  };
  try {
    const writing = openWriter(file, durability);
    const writer = new Connection(writing);
    connections.push(writer);
    await migrate(writer.kysely.withoutPlugins(), {
      name: `The database in ${dataDir}`,
      another: 'another data directory',
      isAlone: dirLock.isAlone,
      growsInUse: false,
      further: furtherMigrations,
    });
    await checkTables(writer.kysely.withoutPlugins(), dataDir);
    createPrivateFile(join(dataDir, USED_MARK));
    const reading = new Sqlite(file, { readonly: true });
    const reader = new Connection(reading, { beside: writer });
    connections.push(reader);
    let changes: ChangeFeed | undefined;
    const queue = new WriteQueue((work) => writer.transaction(work));
    return await assembleStore(
      {
        reader,
        transaction: (_locks, work, options) =>
          storageErrors(queue.run(() => work(writer), options)),
        shareSignals(bus) {
          changes ??= new ChangeFeed({ writer: writing, reader: reading, bus, clock });
          changes.start();
          return bus;
        },
        checkFiles: watchFile(file),
        // Writes the first page of the database without changing it.
        probe: ({ kysely }) => sql`pragma user_version = 0`.execute(kysely),
        opened: () => dirLock.opened(),
        async close() {
          changes?.stop();
          await close();
        },
      },
      { clock, role, isAlone: dirLock.isAlone },
    );
  } catch (error) {
    await close();
    if (error instanceof StoreError) throw error;
    throw new StoreError(
      'unusable',
      `The database in ${dataDir} cannot be opened (${messageOf(error)}). Is it a Signalbox data directory, and is there room on the disk?`,
      { cause: error },
    );
  }
}

async function prepareDataDir(dataDir: string, sharing: Sharing): Promise<DataDirLock> {
  let lock: DataDirLock | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    lock = await lockDataDir(dataDir, sharing);
    refuseEmptied(dataDir);
    // SQLite creates its side files with the mode of the database, so they are private even in an existing directory.
    createPrivateFile(join(dataDir, 'signalbox.sqlite'));
    return lock;
  } catch (error) {
    lock?.release();
    if (error instanceof StoreError) throw error;
    throw new StoreError(
      'unusable',
      `The data directory ${dataDir} cannot be used (${messageOf(error)}). Choose one that this user can write to.`,
      { cause: error },
    );
  }
}

/** Name of the file that marks a database with tables. */
const USED_MARK = 'signalbox.used';

/** Refuses a database that lost its content, instead of treating it as new. */
function refuseEmptied(dataDir: string): void {
  const file = join(dataDir, 'signalbox.sqlite');
  const isEmpty = statSync(file, { throwIfNoEntry: false })?.size === 0;
  if (!isEmpty || statSync(join(dataDir, USED_MARK), { throwIfNoEntry: false }) === undefined)
    return;
  throw new StoreError(
    'unusable',
    `The database ${file} is empty, though it was in use before. Restore it from a copy, or remove ${file} to begin with a new one.`,
  );
}

async function checkTables(db: Kysely<Database>, dataDir: string): Promise<void> {
  const present = await tablesOf(db, undefined);
  const missing = TABLES.filter((name) => !present.has(name));
  if (missing.length === 0) return;
  throw new StoreError(
    'unusable',
    `The database in ${dataDir} is damaged: it has no table ${missing.join(', ')}. Restore it from a copy, or choose another data directory.`,
  );
}

/**
 * Bytes of a page of a new database. A commit writes whole pages, and in most of them one small row
 * has changed. A database keeps the size that it was created with.
 */
const PAGE_BYTES = 2048;

/**
 * Size of the write-ahead log at which SQLite moves its pages into the database. A page that changed
 * several times is moved once. The event loop waits for the disk meanwhile.
 */
const CHECKPOINT_BYTES = 16 * 1024 * 1024;

function openWriter(file: string, durability: RunStoreOptions['durability']): Sqlite.Database {
  const database = new Sqlite(file, { timeout: 5000 });
  try {
    database.pragma(`page_size = ${String(PAGE_BYTES)}`);
    database.pragma('journal_mode = WAL');
    database.pragma(`synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
    const pageBytes = Number(database.pragma('page_size', { simple: true }));
    database.pragma(`wal_autocheckpoint = ${String(CHECKPOINT_BYTES / pageBytes)}`);
    database.pragma('foreign_keys = ON');
    // Transactions wait for the write lock without blocking the event loop.
    database.pragma('busy_timeout = 0');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
