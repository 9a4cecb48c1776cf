import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';

/**
 * Creates a database with `sql` in its own folder, which is removed after the test, and returns its
 * path.
 */
export function temporaryDatabase(sql = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-sqlite-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const path = join(folder, 'test.db');
  const database = new Database(path);
  database.pragma('synchronous = OFF');
  database.exec(sql === '' ? 'PRAGMA user_version = 0; VACUUM' : sql);
  database.close();
  return path;
}

/** Opens a connection like a query process; closed after the test. */
export function openForReading(path: string): Database.Database {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  onTestFinished(() => {
    database.close();
  });
  return database;
}
