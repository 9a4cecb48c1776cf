import { expect, test } from 'vitest';
import { tokenize } from '../guard/tokenize.ts';
import { rowLimit } from './row-limit.ts';

test.each([
  ['SELECT a FROM t LIMIT 10', 10],
  ['select a from (select b from t limit 5) order by a limit 7 -- all', 7],
  ['SELECT 1 UNION ALL SELECT 2 LIMIT 3 OFFSET 20', 3],
])('%s returns a known number of rows', (sql, rows) => {
  expect(rowLimit(tokenize(sql))).toBe(rows);
});

test.each([
  'SELECT a FROM t',
  'SELECT a FROM (SELECT b FROM t LIMIT 5)',
  'SELECT a FROM t WHERE a IN (SELECT b FROM t LIMIT 5) ORDER BY a',
  'SELECT (SELECT b FROM t LIMIT 5) AS c FROM t',
  'SELECT a FROM t LIMIT ?',
  'SELECT a FROM t LIMIT -1',
  'SELECT a FROM t LIMIT 5, 10',
  'SELECT a FROM t LIMIT 5 + 10',
  'SELECT a FROM t LIMIT 0x10',
  'SELECT a FROM t LIMIT 5 OFFSET 1 + 1',
  'SELECT "limit", 5',
])('%s returns an unknown number of rows', (sql) => {
  expect(rowLimit(tokenize(sql))).toBeUndefined();
});
