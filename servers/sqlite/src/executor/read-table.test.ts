import { describe, expect, test } from 'vitest';
import { openForReading, temporaryDatabase } from '../testing/temporary-database.ts';
import { resultBytes } from './compact-json.ts';
import type { TableContents } from './protocol.ts';
import { readTable } from './read-table.ts';
import { schemaSql } from './schema-sql.ts';
import { tableNames } from './table-names.ts';

const SCHEMA = `CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT);
  INSERT INTO users VALUES (9007199254740993, 'Ada');
  CREATE TABLE "we'ird ""tbl"(a); INSERT INTO "we'ird ""tbl" VALUES (1);
  CREATE TABLE wide(n); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5000) INSERT INTO wide SELECT x FROM c;
  CREATE VIEW v AS SELECT name FROM users; CREATE VIEW broken AS SELECT * FROM gone;
  CREATE VIRTUAL TABLE fts USING fts5(text);
  CREATE TABLE auto(id INTEGER PRIMARY KEY AUTOINCREMENT);
  CREATE TABLE long(t); INSERT INTO long SELECT printf('%.*c', 100000, 'x') FROM wide LIMIT 20;`;

function read(name: string, maxResultBytes = 1_048_576): TableContents | undefined {
  const database = openForReading(temporaryDatabase(SCHEMA));
  return readTable(database, name, { maxCellBytes: 65_536, maxResultBytes });
}

describe('readTable', () => {
  test('describes a table, counts its rows and returns the first', () => {
    expect(read('users')).toMatchObject({
      name: 'users',
      primaryKey: ['id'],
      rowCount: 1,
      hasMoreRows: false,
      sampleRows: {
        columns: [
          { name: 'id', type: 'int64' },
          { name: 'name', type: 'text' },
        ],
        rows: [['9007199254740993', 'Ada']],
      },
    });
    const wide = read('WIDE');
    expect([wide?.name, wide?.rowCount, wide?.sampleRows.rows.length]).toEqual(['wide', 5000, 10]);
  });

  test.each([`we'ird "tbl`, 'v', 'fts'])('reads %j', (name) => {
    expect(read(name)?.name).toBe(name);
  });

  test('returns nothing for a table that does not exist, and fails for a broken view', () => {
    expect(read('nope')).toBeUndefined();
    expect(read(`users" UNION SELECT 1 --`)).toBeUndefined();
    expect(() => read('broken')).toThrow('no such table');
  });

  test('fits into the limit', () => {
    expect(resultBytes(read('long', 16_384))).toBeLessThan(16_384);
  });
});

test('lists tables and views by name, without those of SQLite and of virtual tables', () => {
  const database = openForReading(temporaryDatabase(SCHEMA));
  expect(tableNames(database)).toEqual([
    'auto',
    'broken',
    'fts',
    'long',
    'users',
    'v',
    `we'ird "tbl`,
    'wide',
  ]);
});

test('returns the definitions that fit, in order of name', () => {
  const database = openForReading(
    temporaryDatabase(
      `${SCHEMA} CREATE TABLE a(x /* ${'x'.repeat(20_000)} */); CREATE INDEX i ON users(name);`,
    ),
  );
  const whole = schemaSql(database, 65_536);
  expect(whole.truncated).toBe(false);
  expect(whole.sql.length).toBeLessThan(10_000);
  expect(whole.sql).toContain('CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT);\n');
  expect(whole.sql).not.toMatch(/fts_data|sqlite_sequence|CREATE INDEX/);
  expect(schemaSql(database, 8260)).toMatchObject({
    truncated: true,
    sql: expect.stringMatching(/AUTOINCREMENT\);$/) as string,
  });
});
