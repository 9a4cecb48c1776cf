import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { isBusyError } from './storage-errors.ts';
import { StoreError } from './store-error.ts';

/** `alone`: one process uses the data directory; `shared`: several do, all of them `shared`. */
export type Sharing = 'alone' | 'shared';

export interface DataDirLock {
  /** Whether no other process used the data directory when it was locked. */
  readonly isAlone: boolean;
  /** Lets other processes lock the data directory. Until then a `shared` lock keeps them waiting. */
  readonly opened: () => void;
  readonly release: () => void;
}

/** Held while a process opens the data directory, so that only one at a time migrates it. */
const OPENING_FILE = 'opening.sqlite';
/** Held as long as a process uses the data directory. */
const LOCK_FILE = 'lock.sqlite';
/** Process ids that last locked the data directory; some may have ended. */
const PID_FILE = 'lock.pid';

/** Milliseconds to wait for another process that opens the data directory and may migrate it. */
const MAX_OPENING_MS = 60_000;
const OPENING_POLL_MS = 20;

/**
 * Locks a data directory for this process. The locks are SQLite's file locks, which the operating
 * system drops when the process ends in any way.
 * @throws StoreError `locked`, and errors of the file system or SQLite
 */
export async function lockDataDir(dataDir: string, sharing: Sharing): Promise<DataDirLock> {
  const opening = await lockOpening(dataDir);
  let use: Sqlite.Database | undefined;
  try {
    use = lockFile(dataDir, LOCK_FILE);
    const isAlone = isLocked(use, 'begin exclusive');
    // No other process can lock in between, because this one holds the first lock.
    if (sharing === 'shared' && isAlone) use.exec('rollback');
    const isShared = sharing === 'shared' && isLocked(use, 'begin; select 1 from sqlite_schema');
    if (!isShared && !(isAlone && sharing === 'alone')) throw inUse(dataDir);
    const pids = [...(isAlone ? [] : holders(dataDir)), process.pid];
    writeFileSync(join(dataDir, PID_FILE), pids.join(' '), { mode: 0o600 });
    if (sharing === 'alone') opening.close();
    const locks = [use, opening];
    return {
      isAlone,
      opened: () => void opening.close(),
      release: () => {
        for (const lock of locks) lock.close();
      },
    };
  } catch (error) {
    use?.close();
    opening.close();
    throw error;
  }
}

/** Creates an empty private file unless it exists. An existing file is not opened: closing it would drop the locks that this process has on it. */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Names the processes that use a data directory: `process 12`, or `the processes 12, 13`. */
function usersOf(dataDir: string): string {
  const pids = holders(dataDir);
  if (pids.length === 0) return 'another process';
  return pids.length === 1 ? `process ${pids[0]}` : `the processes ${pids.join(', ')}`;
}

async function lockOpening(dataDir: string): Promise<Sqlite.Database> {
  const file = lockFile(dataDir, OPENING_FILE);
  try {
    const giveUpAt = performance.now() + MAX_OPENING_MS;
    while (!isLocked(file, 'begin exclusive')) {
      if (performance.now() > giveUpAt)
        throw new StoreError(
          'locked',
          `The data directory ${dataDir} has been opened by ${usersOf(dataDir)} for more than ${MAX_OPENING_MS / 1000} s. Wait until its database is up to date, stop it, or choose another data directory.`,
        );
      await sleep(OPENING_POLL_MS);
    }
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

function lockFile(dataDir: string, name: string): Sqlite.Database {
  const path = join(dataDir, name);
  createPrivateFile(path);
  return new Sqlite(path, { timeout: 0 });
}

/** Whether a transaction got its file lock. */
function isLocked(file: Sqlite.Database, begin: string): boolean {
  try {
    file.exec(begin);
    return true;
  } catch (error) {
    if (!isBusyError(error)) throw error;
    if (file.inTransaction) file.exec('rollback');
    return false;
  }
}

function inUse(dataDir: string): StoreError {
  const them = holders(dataDir).length > 1 ? 'them' : 'it';
  return new StoreError(
    'locked',
    `The data directory ${dataDir} is in use by ${usersOf(dataDir)}. Stop ${them}, or choose another data directory. Only processes with --role api or --role worker share one.`,
  );
}

/** Returns the living processes of the pid file. */
function holders(dataDir: string): readonly number[] {
  try {
    return readFileSync(join(dataDir, PID_FILE), 'utf8').split(' ').map(Number).filter(isLiving);
  } catch {
    return [];
  }
}

function isLiving(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
