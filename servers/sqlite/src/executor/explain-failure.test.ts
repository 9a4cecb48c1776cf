import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openForReading, temporaryDatabase } from '../testing/temporary-database.ts';
import { describeFailure } from './explain-failure.ts';

function failureOf(database: Database.Database, query: string): string {
  try {
    database.prepare(query);
  } catch (error) {
    return describeFailure(error, { query }, database).message;
  }
  throw new Error('the query did not fail');
}

/** Creates a database with a virtual table whose module is missing, as an extension leaves it. */
function databaseWithForeignTable(): Database.Database {
  const path = temporaryDatabase('CREATE TABLE users(id, name)');
  const writer = new Database(path);
  writer.unsafeMode(true);
  writer.pragma('writable_schema = 1');
  writer.exec(
    "INSERT INTO sqlite_schema VALUES ('table', 'foreign_table', 'foreign_table', 0, 'CREATE VIRTUAL TABLE foreign_table USING elsewhere(a)')",
  );
  writer.close();
  return openForReading(path);
}

test('names the columns of the tables a query mentions', () => {
  const database = openForReading(
    temporaryDatabase('CREATE TABLE users(id, name); CREATE TABLE other(x)'),
  );
  expect(failureOf(database, 'SELECT nmae FROM users')).toBe(
    'SQLITE_ERROR: no such column: nmae. Existing columns: users.id, users.name',
  );
});

test('reports the failure itself when the schema has a table with unreadable columns', () => {
  expect(failureOf(databaseWithForeignTable(), "SELECT nmae, 'foreign_table' FROM users")).toBe(
    'SQLITE_ERROR: no such column: nmae',
  );
});
