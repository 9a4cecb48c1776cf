import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { checkQuery } from './check-query.ts';
import { RefusedQueryError } from './statement-tokens.ts';

describe('checkQuery', () => {
  test.each([
    ['select 1', 'select'],
    ['SELECT 1;', 'select'],
    ['SELECT 1; ; -- done', 'select'],
    ['/* c */ -- d\nSELECT 1', 'select'],
    ['VALUES (1), (2)', 'values'],
    ['WITH q AS (SELECT 1 z) SELECT * FROM q', 'with'],
    ['WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT x FROM c', 'with'],
    ["WITH replace(a) AS (SELECT 'x') SELECT replace(a, 'x', 'y') FROM replace", 'with'],
    ['EXPLAIN SELECT 1', 'explain'],
    ['EXPLAIN QUERY PLAN WITH q AS (SELECT 1) SELECT * FROM q', 'explain'],
    ["SELECT 'DELETE FROM t; ATTACH x'", 'select'],
    ['SELECT "delete", [attach] FROM t', 'select'],
    ["SELECT * FROM pragma_table_info('t')", 'select'],
    ["SELECT 'pragma_%'", 'select'],
    ['SELECT load_extension FROM t', 'select'],
  ])('lets %s pass', (sql, keyword) => {
    expect(checkQuery(sql).keyword).toBe(keyword);
  });

  test.each([
    [''],
    ['  -- nothing\n'],
    [';'],
    [';SELECT 1'],
    ['(SELECT 1)'],
    ['"select" 1'],
    ['SELEC 1'],
    ['SELECT 1; SELECT 2'],
    ['SELECT 1; DROP TABLE t'],
    ["SELECT ';' ; ATTACH 'x' AS y"],
    ["/* SELECT */ ATTACH 'x' AS y"],
    ['DETACH main'],
    ['VACUUM'],
    ["VACUUM INTO '/tmp/x'"],
    ['BEGIN EXCLUSIVE'],
    ['COMMIT'],
    ['END'],
    ['ROLLBACK'],
    ['SAVEPOINT s'],
    ['RELEASE s'],
    ['REINDEX'],
    ['ANALYZE'],
    ['INSERT INTO t VALUES (1)'],
    ['REPLACE INTO t VALUES (1)'],
    ['UPDATE t SET a = 1'],
    ['DELETE FROM t RETURNING *'],
    ['CREATE TEMP TABLE t(a)'],
    ['DROP TABLE t'],
    ['ALTER TABLE t RENAME TO u'],
    ['WITH x AS (SELECT 1) DELETE FROM t'],
    ['WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x'],
    ['WITH x AS (SELECT 1) UPDATE t SET a = 1 RETURNING a'],
    ['WITH x AS (SELECT 1) REPLACE INTO t SELECT * FROM x'],
    ['EXPLAIN DELETE FROM t'],
    ['EXPLAIN QUERY PLAN WITH x AS (SELECT 1) DELETE FROM t'],
    ['EXPLAIN PRAGMA query_only = 0'],
    ['EXPLAIN EXPLAIN SELECT 1'],
    ['EXPLAIN'],
  ])('refuses %s', (sql) => {
    expect(() => checkQuery(sql)).toThrow(RefusedQueryError);
  });

  test.each([
    ['PRAGMA table_info(users)'],
    ["pragma main.table_xinfo('users');"],
    ['PRAGMA user_version'],
    ['PRAGMA main.page_count'],
    ['PRAGMA integrity_check(10)'],
    ['PRAGMA table_list'],
    ['PRAGMA function_list'],
  ])('lets %s pass', (sql) => {
    expect(checkQuery(sql).keyword).toBe('pragma');
  });

  test.each([
    ['PRAGMA query_only=0'],
    ['PRAGMA query_only(0)'],
    ['PRAGMA query_only'],
    ['PRAGMA user_version=7'],
    ['PRAGMA user_version(7)'],
    ['PRAGMA main.user_version = 7'],
    ['PRAGMA writable_schema=1'],
    ['PRAGMA journal_mode=OFF'],
    ['PRAGMA journal_mode'],
    ['PRAGMA locking_mode=EXCLUSIVE'],
    ['PRAGMA trusted_schema = 1'],
    ['PRAGMA/**/"writable_schema"/**/(1)'],
    ['PRAGMA encoding("UTF-16")'],
    ['PRAGMA table_info(users) = 1'],
    ['PRAGMA table_info = users'],
    ['PRAGMA optimize'],
    ['PRAGMA wal_checkpoint'],
    ['PRAGMA'],
  ])('refuses %s', (sql) => {
    expect(() => checkQuery(sql)).toThrow(RefusedQueryError);
  });

  test.each([
    ['SELECT * FROM pragma_optimize'],
    ['SELECT * FROM PRAGMA_journal_mode'],
    ["SELECT * FROM 'pragma_optimize'"],
    ['SELECT * FROM "pragma_optimize"'],
    ['SELECT * FROM [pragma_wal_checkpoint]'],
    ['SELECT * FROM main.`pragma_optimize`'],
    ['WITH x AS (SELECT * FROM pragma_query_only(0)) SELECT * FROM x'],
    ["SELECT load_extension('x.so')"],
    ["SELECT LOAD_EXTENSION /* */ ('x.so')"],
    ['SELECT "load_extension"(\'x.so\')'],
    ["SELECT fts3_tokenizer('simple', x'00')"],
    ["EXPLAIN SELECT load_extension('x.so')"],
  ])('refuses the function in %s', (sql) => {
    expect(() => checkQuery(sql)).toThrow(/not allowed/);
  });

  test('reports the problem and what is allowed', () => {
    expect(() => checkQuery('')).toThrow('The query is empty. Allowed: one SELECT');
    expect(() => checkQuery('SELECT 1; SELECT 2')).toThrow(
      'Only one statement at a time: nothing was executed',
    );
    expect(() => checkQuery('attach x as y')).toThrow(
      'ATTACH is not allowed: the server works on one database file. Allowed:',
    );
    expect(() => checkQuery('(SELECT 1)')).toThrow('A query cannot start with "(". Allowed:');
    expect(() => checkQuery('PRAGMA user_version = 7')).toThrow(
      'PRAGMA user_version can be read, not set',
    );
    expect(() => checkQuery('PRAGMA journal_mode')).toThrow(
      'PRAGMA journal_mode is not allowed. Allowed, for reading: table_info,',
    );
  });

  test.each([
    'SELEC 1',
    'sélect 1',
    'TABLE t',
    'FROM t SELECT 1',
    'show tables',
    'EXPLAIN SELEC 1',
  ])('reports the syntax error of %s as SQLite does', (sql) => {
    const database = new Database(':memory:');
    const messages = [() => database.prepare(sql), () => checkQuery(sql)].map(messageOf);
    database.close();
    expect(messages[0]).toMatch(/^near ".*": syntax error$/);
    expect(messages[1]).toBe(
      `SQLITE_ERROR: ${messages[0]}. Allowed: one SELECT, WITH … SELECT, VALUES, EXPLAIN [QUERY PLAN] of those, or a reading PRAGMA.`,
    );
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
