import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDatabase } from '../testing/temporary-database.ts';
import { checkProgram, checkWriteProgram, listInstructions } from './check-program.ts';

/** Opens a writable connection, so that only the byte code distinguishes reads from writes. */
function openWritable(): Database.Database {
  const database = new Database(
    temporaryDatabase(
      'CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE INDEX i ON t(b); CREATE VIRTUAL TABLE f USING fts5(x); CREATE VIEW v AS SELECT 1; CREATE TABLE s(id INTEGER PRIMARY KEY AUTOINCREMENT, a)',
    ),
  );
  onTestFinished(() => {
    database.close();
  });
  return database;
}

describe('checkProgram', () => {
  test.each([
    ['SELECT * FROM t WHERE a = ?'],
    ['SELECT b, count(*) FROM t GROUP BY b ORDER BY 2'],
    ["SELECT * FROM f WHERE f MATCH 'x'"],
    ['WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c'],
    ['SELECT DISTINCT t1.a FROM t t1, t t2 WHERE t1.b = t2.b'],
    ["SELECT * FROM pragma_table_info('t')"],
    ['VALUES (1)'],
  ])('lets %s pass', (sql) => {
    expect(() => checkProgram(openWritable(), sql)).not.toThrow();
  });

  test.each([
    ['DELETE FROM t RETURNING *'],
    ['INSERT INTO t VALUES (1, 2)'],
    ['WITH x AS (SELECT 1) UPDATE t SET b = 1'],
    ["INSERT INTO f VALUES ('x')"],
    ['CREATE TABLE u(a)'],
    ['DROP TABLE t'],
    ['VACUUM'],
    ["VACUUM INTO '/nowhere/x.db'"],
    ['BEGIN'],
    ['BEGIN EXCLUSIVE'],
    ['SAVEPOINT s'],
    ["ATTACH 'x.db' AS x"],
    ['DETACH x'],
    ['REINDEX'],
    ['PRAGMA journal_mode = DELETE'],
    ['PRAGMA wal_checkpoint'],
    ['PRAGMA user_version = 7'],
    ["SELECT load_extension('x')"],
    ["SELECT fts3_tokenizer('x')"],
  ])('refuses %s', (sql) => {
    // An SQLite without the function refuses it by itself.
    expect(() => checkProgram(openWritable(), sql)).toThrow(
      /would do more than read|no such function|unknown tokenizer/,
    );
  });

  test('executes no checked statement', () => {
    const database = openWritable();
    const target = join(database.name, '..', 'copy.db');
    expect(() => checkProgram(database, `VACUUM INTO '${target}'`)).toThrow('Vacuum');
    expect(() => new Database(target, { readonly: true, fileMustExist: true })).toThrow(
      'unable to open',
    );
  });
});

describe('checkWriteProgram', () => {
  const change = { kind: 'rows', verb: 'update' } as const;
  const definition = { kind: 'schema', verb: 'create' } as const;

  test.each([
    ['INSERT INTO t VALUES (1, 2) RETURNING a', change],
    ['WITH x AS (SELECT 1) UPDATE t SET b = 1', change],
    ['DELETE FROM t', change],
    ["INSERT INTO f VALUES ('x')", change],
    ["INSERT INTO f(f) VALUES ('rebuild')", change],
    ['INSERT INTO s(a) VALUES (1)', change],
    ['CREATE TABLE u(a)', definition],
    ['CREATE TABLE u AS SELECT * FROM t', definition],
    ['CREATE VIRTUAL TABLE u USING fts5(x)', definition],
    ['CREATE INDEX j ON t(a, b)', definition],
    ['CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END', definition],
    ['DROP TABLE t', definition],
    ['DROP TABLE f', definition],
    ['ALTER TABLE t ADD COLUMN c', { kind: 'schema', verb: 'alter' }],
    ['ALTER TABLE t RENAME TO u', { kind: 'schema', verb: 'alter' }],
    ['ALTER TABLE t RENAME COLUMN b TO c', { kind: 'schema', verb: 'alter' }],
  ] as const)('lets %s pass', (sql, write) => {
    expect(() => checkWriteProgram(openWritable(), sql, write)).not.toThrow();
  });

  test.each([
    ['CREATE TABLE u(a)', change],
    ['CREATE INDEX j ON t(a)', change],
    ['DROP TABLE t', change],
    ['DROP VIEW v', change],
    ['ALTER TABLE t ADD COLUMN c', change],
    ['ANALYZE', change],
    ['CREATE TEMP TABLE u(a)', definition],
    ['CREATE TEMP VIEW u AS SELECT 1', definition],
    ...[change, definition].flatMap((write) =>
      [
        'VACUUM',
        "VACUUM INTO '/nowhere/x.db'",
        'BEGIN',
        'COMMIT',
        'SAVEPOINT s',
        "ATTACH 'x.db' AS x",
        'DETACH x',
        'PRAGMA journal_mode = DELETE',
        'PRAGMA wal_checkpoint',
      ].map((sql) => [sql, write] as const),
    ),
  ] as const)('refuses %s for %j', (sql, write) => {
    expect(() => checkWriteProgram(openWritable(), sql, write)).toThrow(
      'would do more than change',
    );
  });

  test('refuses a write to an attached database', () => {
    const database = openWritable();
    database.exec("ATTACH ':memory:' AS other; CREATE TABLE other.t2(a)");
    for (const [sql, write] of [
      ['INSERT INTO t2 VALUES (1)', change],
      ['CREATE TABLE other.u(a)', definition],
    ] as const)
      expect(() => checkWriteProgram(database, sql, write)).toThrow('would do more than change');
  });
});

test('a statement has the same instructions whether it is known to have no parameters or not', () => {
  const database = openWritable();
  const sql = "SELECT upper('a'), count(*) FROM t WHERE a > 1 GROUP BY a";
  expect(listInstructions(database, sql, false)).toMatchObject(
    listInstructions(database, sql).map(({ opcode, p1, p2, p3, p4 }) => ({
      opcode,
      p1,
      p2,
      p3,
      p4,
    })),
  );
});
