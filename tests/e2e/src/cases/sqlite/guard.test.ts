import { existsSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { eras } from '../stdio-peer.test.support.ts';
import { rowsOf, useFixture } from './fixture.test.support.ts';

const fixture = useFixture();

describe.each(eras)('a %s client', (era) => {
  const read = async (query: string, params?: unknown) =>
    (await fixture.peer(era)).call(
      'read_query',
      params === undefined ? { query } : { query, params },
    );
  const write = async (query: string) => (await fixture.peer(era)).call('write_query', { query });

  test('SQ-04 cannot send several statements in one', async () => {
    for (const query of [
      'SELECT 1; DROP TABLE orders',
      'SELECT 1; INSERT INTO orders VALUES (9, 1, 1)',
      'SELECT 1; SELECT 2',
    ])
      expect([query, (await read(query)).isError]).toEqual([query, true]);
    for (const query of [
      'INSERT INTO orders VALUES (9, 1, 1); DELETE FROM orders',
      'INSERT INTO orders VALUES (9, 1, 1); DROP TABLE orders',
    ])
      expect([query, (await write(query)).isError]).toEqual([query, true]);
    expect(fixture.values('SELECT id FROM orders')).toEqual([1, 2]);
  });

  test('SQ-05 cannot hide a write in a read', async () => {
    for (const query of [
      'WITH x AS (SELECT 1) DELETE FROM orders',
      'INSERT INTO orders VALUES(2,1,1)',
      'DELETE FROM orders RETURNING *',
      "REPLACE INTO users(id,name) VALUES(1,'q')",
    ])
      expect([query, (await read(query)).isError]).toEqual([query, true]);
    expect(
      fixture.values('SELECT count(*) FROM orders UNION ALL SELECT count(*) FROM users'),
    ).toEqual([2, 3]);
    expect(fixture.values('SELECT name FROM users WHERE id = 1')).toEqual(['Ada']);
  });

  test('SQ-06 cannot attach or detach a database', async () => {
    const [secret, created] = ['secret.db', 'created.db'].map((name) =>
      path.join(fixture.out, name),
    );
    const outcomes = [
      await read(`ATTACH '${secret ?? ''}' AS x`),
      await read('SELECT * FROM x.s'),
      await write(`ATTACH '${secret ?? ''}' AS x`),
      await write(`ATTACH '${created ?? ''}' AS c`),
      await write('DETACH main'),
    ];
    expect(outcomes.map((outcome) => outcome.isError)).toEqual(Array(5).fill(true));
    expect(JSON.stringify(outcomes)).not.toContain('PW');
    expect(existsSync(created ?? '')).toBe(false);
  });

  test('SQ-08 cannot set a PRAGMA, and can read some', async () => {
    for (const query of [
      'PRAGMA query_only=0',
      'PRAGMA user_version(7)',
      'PRAGMA writable_schema=1',
    ])
      expect([query, (await read(query)).isError]).toEqual([query, true]);
    for (const query of ['PRAGMA journal_mode=OFF', 'PRAGMA user_version=7'])
      expect([query, (await write(query)).isError]).toEqual([query, true]);
    expect(rowsOf(await read('PRAGMA table_info(users)'))).toHaveLength(5);
    expect(rowsOf(await read('PRAGMA user_version'))).toEqual([{ user_version: 0 }]);
    expect((await read('INSERT INTO orders VALUES (3, 1, 1)')).isError).toBe(true);
    expect(fixture.values('SELECT count(*) FROM orders')).toEqual([2]);
  });

  test('SQ-10 cannot leave a transaction or a lock behind', async () => {
    expect((await read('BEGIN EXCLUSIVE')).isError).toBe(true);
    expect((await read('PRAGMA locking_mode=EXCLUSIVE')).isError).toBe(true);
    expect((await write('SAVEPOINT s')).isError).toBe(true);
    const other = new Database(fixture.db, { timeout: 1000 });
    other.exec('INSERT INTO orders VALUES (3, 1, 1)');
    other.close();
  });

  test('SQ-12 gets SQL errors as tool errors, with the names that exist', async () => {
    const unknown = await read('SELECT nope FROM users');
    expect([unknown.isError, unknown.text]).toEqual([
      true,
      expect.stringMatching(/no such column: nope.*users\.name/),
    ]);
    const misspelled = await read('SELEC 1');
    expect([misspelled.isError, misspelled.text]).toEqual([
      true,
      expect.stringMatching(/near "SELEC": syntax error\. Allowed: one SELECT/),
    ]);
    // SQLite has no message for it.
    const empty = await read('');
    expect([empty.isError, empty.text]).toEqual([
      true,
      expect.stringMatching(/^The query is empty\. Allowed: one SELECT/),
    ]);
    const incomplete = await read('SELECT * FROM users WHERE');
    expect([incomplete.isError, incomplete.text]).toEqual([
      true,
      expect.stringContaining('incomplete input'),
    ]);
  });

  test('SQ-17 passes values as parameters', async () => {
    expect(rowsOf(await read('SELECT ? a, ? b', [1, 'x']))).toEqual([{ a: 1, b: 'x' }]);
    expect(rowsOf(await read('SELECT :a a', { a: true }))).toEqual([{ a: 1 }]);
    expect(rowsOf(await read('SELECT ? b', [{ $blob: 'AP8=' }]))).toEqual([
      { b: { $blob: 'AP8=', bytes: 2 } },
    ]);
    expect(rowsOf(await read('SELECT ? i', [{ $int64: '9007199254740993' }]))).toEqual([
      { i: '9007199254740993' },
    ]);
    const few = await read('SELECT ?', []);
    expect([few.isError, few.text]).toEqual([true, expect.stringContaining('Too few')]);
    expect(rowsOf(await read('SELECT name FROM users WHERE name=?', ["x' OR 1=1 --"]))).toEqual([]);
  });
});
