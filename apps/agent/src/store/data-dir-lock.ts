import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { StoreError } from './store-error.ts';

/**
 * Locks a data directory for this process and returns the release function. The lock is SQLite's
 * file lock, which the operating system drops when the process ends in any way.
 * @throws StoreError `locked`, and errors of the file system or SQLite
 */
export function lockDataDir(dataDir: string): () => void {
  const file = new Sqlite(join(dataDir, 'lock.sqlite'), { timeout: 0 });
  const pidFile = join(dataDir, 'lock.pid');
  try {
    file.exec('begin exclusive');
    writeFileSync(pidFile, String(process.pid), { mode: 0o600 });
  } catch (error) {
    file.close();
    if (!isBusy(error)) throw error;
    throw new StoreError(
      'locked',
      `The data directory ${dataDir} is in use by ${ownerOf(pidFile)}. Stop it, or choose another data directory.`,
      { cause: error },
    );
  }
  return () => file.close();
}

function isBusy(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY';
}

function ownerOf(pidFile: string): string {
  try {
    return `process ${readFileSync(pidFile, 'utf8')}`;
  } catch {
    return 'another process';
  }
}
