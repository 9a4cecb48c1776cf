import Sqlite from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { Connection } from './connection.ts';
import type { Database } from './database.ts';

type Db = Kysely<Database>;

const insertPartials = (db: Db, { rows }: { readonly rows: readonly Database['partials'][] }) =>
  db.insertInto('partials').values(rows);

/** A connection to a database with one of the tables. */
function connect(): { readonly connection: Connection; readonly database: Sqlite.Database } {
  const database = new Sqlite(':memory:');
  database.exec('create table partials (run_id text, message_id text, text text)');
  const connection = new Connection(database);
  onTestFinished(() => connection.close());
  return { connection, database };
}

const partial = (runId: string, text = '') => ({ runId, messageId: `m-${runId}`, text });

test('a query is built once for each combination of values that are present, and lists of each length', async () => {
  const { connection } = connect();
  let built = 0;
  const find = (
    db: Db,
    { runIds, text }: { readonly runIds: readonly string[]; readonly text: string | undefined },
  ) => {
    built += 1;
    const query = db.selectFrom('partials').selectAll().where('runId', 'in', runIds);
    return text === undefined ? query : query.where('text', '=', text);
  };
  await connection.run(insertPartials, { rows: [partial('r1', 'a'), partial('r2', 'b')] });
  const found = async (runIds: readonly string[], text?: string) =>
    (await connection.rows(find, { runIds, text })).map(({ messageId }) => messageId);
  expect(await found(['r1'])).toEqual(['m-r1']);
  expect(await found(['r2'])).toEqual(['m-r2']);
  expect(built).toBe(1);
  expect(await found(['r2'], 'a')).toEqual([]);
  expect(await found(['r2'], 'b')).toEqual(['m-r2']);
  expect(built).toBe(2);
  expect(await found(['r2', 'r1'])).toEqual(['m-r1', 'm-r2']);
  expect(await found(['r2', 'r3'])).toEqual(['m-r2']);
  expect(built).toBe(3);
  expect(await connection.first(find, { runIds: ['r4'], text: undefined })).toBeUndefined();
  expect(built).toBe(3);
});

test('a query that fails rejects, and the number of changed rows is returned', async () => {
  const { connection } = connect();
  const rename = (db: Db, { text }: { readonly text: string }) =>
    db.updateTable('partials').set({ text });
  await connection.run(insertPartials, { rows: [partial('r1'), partial('r2')] });
  expect(await connection.run(rename, { text: 'x' })).toBe(2);
  const unknown = (db: Db, { id }: { readonly id: string }) =>
    db.selectFrom('runs').selectAll().where('id', '=', id);
  await expect(connection.first(unknown, { id: 'r1' })).rejects.toThrow('no such table: runs');
});

test('a transaction whose work throws is rolled back', async () => {
  const { connection, database } = connect();
  const failing = connection.transaction(async () => {
    await connection.run(insertPartials, { rows: [partial('r1')] });
    throw new Error('no more');
  });
  await expect(failing).rejects.toThrow('no more');
  expect(database.prepare('select * from partials').all()).toEqual([]);
});

test('a transaction on a full disk fails with that reason, and the next transaction works', async () => {
  const { connection, database } = connect();
  database.pragma('max_page_count = 10');
  const tooMuch = connection.transaction(async () => {
    await connection.run(insertPartials, { rows: [partial('r1')] });
    await connection.run(insertPartials, { rows: [partial('r2', 'x'.repeat(1_000_000))] });
  });
  await expect(tooMuch).rejects.toThrow('database or disk is full');
  await connection.transaction(() => connection.run(insertPartials, { rows: [partial('r3')] }));
  expect(database.prepare('select run_id from partials').pluck().all()).toEqual(['r3']);
});
