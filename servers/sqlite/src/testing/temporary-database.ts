import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';

/** The path of a new database in a folder of its own, made by `sql` and removed after the test. */
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

/** A connection as a query process has it, closed after the test. */
export function openForReading(path: string): Database.Database {
  const database = new Database(path, { readonly: true, fileMustExist: true });
  onTestFinished(() => {
    database.close();
  });
  return database;
}
