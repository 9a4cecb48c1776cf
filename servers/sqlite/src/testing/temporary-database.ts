import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, onTestFinished } from 'vitest';

/**
 * Creates a database with `sql` in its own folder, which is removed after the test, and returns its
 * path.
 */
export function temporaryDatabase(sql = ''): string {
  return createDatabase(sql, onTestFinished);
}

/** Like `temporaryDatabase`, for all tests of a file. */
export function sharedDatabase(sql = ''): string {
  return createDatabase(sql, afterAll);
}

/** Replaces the file at `path` and the files beside it by a new database with `sql`. */
export function replaceDatabase(path: string, sql: string): void {
  fill(`${path}.new`, sql);
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
  renameSync(`${path}.new`, path);
}

/** Opens a connection like a query process; closed after the test. */
export function openForReading(path: string): Database.Database {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  onTestFinished(() => {
    database.close();
  });
  return database;
}

function createDatabase(sql: string, whenDone: (remove: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-sqlite-'));
  whenDone(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const path = join(folder, 'test.db');
  fill(path, sql);
  return path;
}

function fill(path: string, sql: string): void {
  const database = new Database(path);
  database.pragma('synchronous = OFF');
  database.exec(sql === '' ? 'PRAGMA user_version = 0; VACUUM' : sql);
  database.close();
}
