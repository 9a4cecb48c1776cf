import { describe, expect, test } from 'vitest';
import { openForReading, temporaryDatabase } from '../testing/temporary-database.ts';
import { explainQuery } from './explain-query.ts';
import type { QueryPlan } from './protocol.ts';

const SCHEMA = `CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
  CREATE TABLE orders(id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users, total REAL);
  CREATE INDEX "by user (id) x" ON orders(user_id);
  CREATE VIEW big AS SELECT * FROM orders WHERE total > 100;
  CREATE TABLE pairs(a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE fts USING fts5(text);`;

function explain(query: string, params?: unknown, maxResultBytes = 1_048_576): QueryPlan {
  const database = openForReading(temporaryDatabase(SCHEMA));
  return explainQuery(
    database,
    { query, ...(params === undefined ? {} : { params }) },
    { maxResultBytes },
  );
}

describe('explainQuery', () => {
  test.each([
    ['SELECT * FROM orders WHERE user_id = 1', ['by user (id) x'], []],
    ['SELECT * FROM orders WHERE total > 1', [], ['orders']],
    ['SELECT * FROM users u LEFT JOIN orders o ON o.total = u.id', [], ['u', 'o']],
    ['SELECT * FROM big', [], ['orders']],
    ["SELECT * FROM users WHERE name = 'x' OR id = 2", ['sqlite_autoindex_users_1'], []],
    ['SELECT count(*) FROM orders', ['by user (id) x'], []],
    ['SELECT * FROM pairs WHERE a = 1', [], []],
    ["SELECT * FROM fts WHERE fts MATCH 'x'", [], []],
    ['SELECT * FROM orders WHERE id = 1', [], []],
    ['VALUES (1), (2)', [], []],
    ['SELECT 1', [], []],
    [
      'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3) SELECT * FROM c',
      [],
      [],
    ],
  ])('%s', (query, usesIndex, fullScans) => {
    expect(explain(query)).toMatchObject({ usesIndex, fullScans });
  });

  test('returns the plan as a tree', () => {
    const { plan } = explain(
      'SELECT * FROM users WHERE id IN (SELECT user_id FROM orders WHERE total > 1)',
    );
    expect(plan).toEqual([
      { detail: 'SEARCH users USING INTEGER PRIMARY KEY (rowid=?)' },
      { detail: 'LIST SUBQUERY 1', steps: [{ detail: 'SCAN orders' }] },
    ]);
  });

  test('needs no parameters, and takes those of a query', () => {
    const found = { usesIndex: ['by user (id) x'] };
    expect(explain('SELECT * FROM orders WHERE user_id = ?')).toMatchObject(found);
    expect(explain('SELECT * FROM orders WHERE user_id = ?2 OR user_id = ?1')).toMatchObject(found);
    expect(explain('SELECT * FROM orders WHERE user_id = :u')).toMatchObject(found);
    expect(explain('SELECT * FROM orders WHERE user_id = ? OR user_id = @u')).toMatchObject(found);
    expect(explain('SELECT * FROM orders WHERE user_id = ?', [1])).toMatchObject(found);
    expect(() => explain('SELECT ?', 'x')).toThrow('params must be');
  });

  test('refuses what read_query refuses, and what has no plan', () => {
    expect(() => explain('DELETE FROM users')).toThrow('DELETE is not allowed');
    expect(() => explain('SELECT 1; SELECT 2')).toThrow('one statement');
    expect(() => explain('PRAGMA page_size')).toThrow('without PRAGMA');
    expect(() => explain('EXPLAIN SELECT 1')).toThrow('without EXPLAIN');
    expect(() => explain('SELECT * FROM nope')).toThrow('no such table');
  });

  test('refuses a plan that does not fit', () => {
    const query = Array.from({ length: 200 }, () => 'SELECT * FROM users').join(' UNION ALL ');
    expect(() => explain(query, undefined, 16_384)).toThrow('explain a part of the query');
  });
});
