import { describe, expect, test } from 'vitest';
import { eras, type Json } from '../stdio-peer.test.support.ts';
import { rowsOf, useFixture } from './fixture.test.support.ts';

const fixture = useFixture();

describe.each(eras)('a %s client', (era) => {
  const call = async (tool: string, args: Json) => (await fixture.peer(era)).call(tool, args);
  const write = (query: string) => call('write_query', { query });

  test('SQ-02 creates a table, inserts and reads', async () => {
    const peer = await fixture.start(era, ['--db-path', fixture.at(`new-${era}.db`)]);
    await peer.call('create_table', { query: 'CREATE TABLE t(a INTEGER PRIMARY KEY,b TEXT)' });
    const inserted = await peer.call('write_query', {
      query: "INSERT INTO t VALUES(1,'x'),(2,'y')",
    });
    expect(inserted.structured).toMatchObject({ affectedRows: 2 });
    expect(rowsOf(await peer.call('read_query', { query: 'SELECT * FROM t' }))).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ]);
    expect((await peer.call('list_tables', {})).structured).toMatchObject({
      tables: [{ name: 't' }],
    });
    const described = await peer.call('describe_table', { table_name: 't' });
    expect(described.structured).toMatchObject({
      columns: [
        { name: 'a', type: 'INTEGER', notNull: false, default: null },
        { name: 'b', type: 'TEXT', notNull: false, default: null },
      ],
      primaryKey: ['a'],
    });
  });

  test('SQ-13 changes rows with write_query only, with real counts, and commits', async () => {
    expect((await write("REPLACE INTO users(id,name) VALUES(1,'r')")).structured).toMatchObject({
      affectedRows: 1,
    });
    expect(
      (await write('WITH x AS (SELECT 10 i) INSERT INTO orders SELECT i,1,1 FROM x')).structured,
    ).toEqual({ affectedRows: 1, lastInsertRowid: 10 });
    const dropped = await write('DROP TABLE orders');
    expect([dropped.isError, dropped.text]).toEqual([
      true,
      expect.stringContaining('alter_schema'),
    ]);
    const selected = await write('SELECT 1');
    expect([selected.isError, selected.text]).toEqual([
      true,
      expect.stringContaining('read_query'),
    ]);
    expect(
      rowsOf(await call('read_query', { query: 'SELECT name FROM users WHERE id=1' })),
    ).toEqual([{ name: 'r' }]);
    expect(fixture.values('SELECT name FROM users WHERE id = 1')).toEqual(['r']);
  });

  test('SQ-25 cannot violate a foreign key', async () => {
    const outcome = await write('INSERT INTO orders VALUES(4,999,1)');
    expect([outcome.isError, outcome.text]).toEqual([true, expect.stringContaining('FOREIGN KEY')]);
    expect(fixture.values('SELECT count(*) FROM orders')).toEqual([2]);
  });

  test('SQ-26 asks the user before all rows are changed', async () => {
    const asked: string[] = [];
    const elicit = (message: string) => (asked.push(message), 'accept' as const);
    const peer = await fixture.start(era, ['--db-path', fixture.db], { elicit });
    const updated = await peer.call('write_query', { query: "UPDATE users SET name='z'" });
    expect(updated.structured).toEqual({ affectedRows: 3 });
    const deleted = await peer.call('write_query', { query: 'DELETE FROM orders WHERE id=1' });
    expect(deleted.structured).toEqual({ affectedRows: 1 });
    expect(asked).toEqual([expect.stringMatching(/users.*3 rows/)]);
    expect(fixture.values('SELECT DISTINCT name FROM users')).toEqual(['z']);
  });

  test('SQ-28 without elicitation repeats the call with a token, which is valid once', async () => {
    const query = 'DELETE FROM orders';
    const refused = await write(query);
    const confirmToken = refused.structured['confirmToken'];
    expect([refused.isError, refused.text, typeof confirmToken]).toEqual([
      true,
      expect.stringContaining('2 rows'),
      'string',
    ]);
    expect(fixture.values('SELECT count(*) FROM orders')).toEqual([2]);
    const confirmed = await call('write_query', { query, confirmToken });
    expect([confirmed.isError, confirmed.structured]).toEqual([false, { affectedRows: 2 }]);
    const again = await call('write_query', { query, confirmToken });
    const other = await call('write_query', { query: 'DELETE FROM users', confirmToken });
    for (const { isError, text } of [again, other])
      expect([isError, text]).toEqual([
        true,
        expect.stringMatching(/used already.*issued for another call/),
      ]);
    expect(fixture.values('SELECT count(*) FROM users')).toEqual([3]);
  });

  test('SQ-30 applies all statements of a batch or none', async () => {
    const query = 'INSERT INTO orders VALUES(50,1,1)';
    const outcome = await call('execute_batch', { statements: [{ query }, { query }] });
    expect([outcome.isError, outcome.text]).toEqual([
      true,
      expect.stringContaining('Statement index 1'),
    ]);
    const counted = await call('read_query', {
      query: 'SELECT count(*) n FROM orders WHERE id=50',
    });
    expect(rowsOf(counted)).toEqual([{ n: 0 }]);
  });
});

test('SQ-29 a modern client cannot use the state of an answered confirmation again', async () => {
  const elicit = () => 'accept' as const;
  const peer = await fixture.start('modern', ['--db-path', fixture.db], { elicit });
  const ask = (query: string, answer: Json = {}) =>
    peer.request('tools/call', { name: 'write_query', arguments: { query }, ...answer });
  const query = 'DELETE FROM orders';
  const { result: asked } = await ask(query);
  expect(asked?.['resultType']).toBe('input_required');
  const [key = ''] = Object.keys(asked?.['inputRequests'] as Json);
  const answer = {
    requestState: asked?.['requestState'],
    inputResponses: { [key]: { action: 'accept', content: { confirm: true } } },
  };
  const refusal = (message: string) => ({
    error: { code: -32_602, message: expect.stringContaining(message) as string },
  });
  expect(await ask('DELETE FROM users', answer)).toMatchObject(
    refusal('was not issued here for this request'),
  );
  expect(fixture.values('SELECT count(*) FROM users')).toEqual([3]);
  const { result: done } = await ask(query, answer);
  expect(done).toMatchObject({ structuredContent: { affectedRows: 2 } });
  const added = 'INSERT INTO orders VALUES (1, 1, 9.5), (2, 2, 5)';
  await peer.call('write_query', { query: added });
  expect(await ask(query, answer)).toMatchObject(refusal('was used before'));
  expect(fixture.values('SELECT count(*) FROM orders')).toEqual([2]);
});
