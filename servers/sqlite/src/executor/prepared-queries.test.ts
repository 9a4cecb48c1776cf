import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withPreparedQuery } from './prepared-queries.ts';

let folder: string;
let reader: Sqlite.Database;
let writer: Sqlite.Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'prepared-'));
  const path = join(folder, 'data.db');
  writer = new Sqlite(path, { timeout: 0 });
  writer.exec(
    "CREATE TABLE pets(name TEXT); INSERT INTO pets VALUES ('Ada'); CREATE VIEW cats AS SELECT * FROM pets",
  );
  reader = new Sqlite(path, { readonly: true, timeout: 0 });
});

afterEach(() => {
  reader.close();
  writer.close();
  rmSync(folder, { recursive: true });
});

const read = (sql: string): unknown[][] =>
  withPreparedQuery(reader, sql, ({ columns, statement }) => [
    columns.map(({ name }) => name),
    ...statement.all(),
  ]);

const compiled = (prepare: { readonly mock: { readonly calls: readonly [string][] } }) =>
  prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('cats'));

test('a repeated query is compiled and inspected once', () => {
  read('SELECT 1');
  const prepare = vi.spyOn(reader, 'prepare');
  for (let count = 0; count < 3; count += 1) read('SELECT * FROM cats');
  expect(compiled(prepare)).toEqual(['SELECT * FROM cats', 'EXPLAIN SELECT * FROM cats']);
});

test('after another connection has changed the schema, a query is compiled and inspected again', () => {
  expect(read('SELECT * FROM cats')).toEqual([['name'], ['Ada']]);
  writer.exec("DROP VIEW cats; CREATE VIEW cats AS SELECT 2 AS legs, 'Bob' AS cat FROM pets");
  const prepare = vi.spyOn(reader, 'prepare');
  expect(read('SELECT * FROM cats')).toEqual([
    ['legs', 'cat'],
    [2n, 'Bob'],
  ]);
  expect(compiled(prepare)).toEqual(['SELECT * FROM cats', 'EXPLAIN SELECT * FROM cats']);
  expect(read('SELECT cat FROM cats')).toEqual([['cat'], ['Bob']]);
});

test('a query that fails because of a schema that was changed is compiled with the new one', () => {
  expect(() => read('SELECT legs FROM cats')).toThrow('no such column: legs');
  writer.exec('DROP VIEW cats; CREATE VIEW cats AS SELECT 2 AS legs FROM pets');
  expect(read('SELECT legs FROM cats')).toEqual([['legs'], [2n]]);
});

test('a query that fails leaves no transaction, and can be repeated', () => {
  for (let count = 0; count < 2; count += 1) {
    expect(() => read('SELECT abs(-9223372036854775807 - 1) FROM pets')).toThrow(
      'integer overflow',
    );
    expect(reader.inTransaction).toBe(false);
  }
  expect(() =>
    withPreparedQuery(reader, 'SELECT * FROM pets', ({ statement }) => {
      for (const _ of statement.iterate()) throw new Error('enough');
    }),
  ).toThrow('enough');
  expect(reader.inTransaction).toBe(false);
});

test('a locked database is reported, and read when the lock is gone', () => {
  expect(read('SELECT * FROM pets')).toEqual([['name'], ['Ada']]);
  writer.exec('BEGIN EXCLUSIVE');
  expect(() => read('SELECT * FROM pets')).toThrow(
    expect.objectContaining({ code: 'SQLITE_BUSY' }) as Error,
  );
  expect(reader.inTransaction).toBe(false);
  writer.exec('COMMIT');
  expect(read('SELECT * FROM pets')).toEqual([['name'], ['Ada']]);
});

test('no more than 64 statements are kept, and none that is long', () => {
  for (let at = 0; at <= 64; at += 1) read(`SELECT ${String(at)}`);
  const long = `SELECT '${'x'.repeat(4096)}'`;
  read(long);
  const prepare = vi.spyOn(reader, 'prepare');
  read('SELECT 64');
  expect(prepare).not.toHaveBeenCalled();
  read('SELECT 0');
  expect(prepare).toHaveBeenCalled();
  prepare.mockClear();
  read(long);
  expect(prepare).toHaveBeenCalled();
});

test('a PRAGMA runs outside of a transaction', () => {
  withPreparedQuery(reader, 'PRAGMA table_list', () => {
    expect(reader.inTransaction).toBe(false);
  });
});
