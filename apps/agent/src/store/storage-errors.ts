import { statSync } from 'node:fs';
import { StorageError } from '../ports/store/errors.ts';

/** Resolves as `work` does. @throws StorageError in place of SQLite's disk errors */
export async function storageErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storageErrorOf(error) ?? error;
  }
}

/** Whether another connection holds a lock of the database. */
export function isBusyError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

/** Converts SQLite's disk errors. @see https://www.sqlite.org/rescode.html */
function storageErrorOf(error: unknown): StorageError | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'SQLITE_FULL')
    return new StorageError('full', 'the disk of the data directory is full', { cause: error });
  if (/^SQLITE_(?:IOERR|READONLY|CORRUPT|CANTOPEN|NOTADB)/.test(code))
    return new StorageError('broken', `the database cannot be written (${code})`, { cause: error });
  return undefined;
}

/** Returns a function that throws `StorageError` once the path leads to a different file. */
export function watchFile(path: string): () => void {
  const { ino } = statSync(path);
  return () => {
    if (statSync(path, { throwIfNoEntry: false })?.ino !== ino)
      throw new StorageError(
        'lost',
        `the database file ${path} was removed or replaced while the service was running; restart the service`,
      );
  };
}
