import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from './connection.ts';
import type { Database } from './database.ts';
import { databaseFolder } from './testing/migrated-database.ts';

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

test('a query is built once for each combination of values that are present, and lists of each length', () => {
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
  connection.run(insertPartials, { rows: [partial('r1', 'a'), partial('r2', 'b')] });
  const found = (runIds: readonly string[], text?: string) =>
    connection.rows(find, { runIds, text }).map(({ messageId }) => messageId);
  expect(found(['r1'])).toEqual(['m-r1']);
  expect(found(['r2'])).toEqual(['m-r2']);
  expect(built).toBe(1);
  expect(found(['r2'], 'a')).toEqual([]);
  expect(found(['r2'], 'b')).toEqual(['m-r2']);
  expect(built).toBe(2);
  expect(found(['r2', 'r1'])).toEqual(['m-r1', 'm-r2']);
  expect(found(['r2', 'r3'])).toEqual(['m-r2']);
  expect(built).toBe(3);
  expect(connection.first(find, { runIds: ['r4'], text: undefined })).toBeUndefined();
  expect(built).toBe(3);
});

test('a query is built once for all connections, and each prepares it for its own database', () => {
  let built = 0;
  const find = (db: Db, { runId }: { readonly runId: string }) => {
    built += 1;
    return db.selectFrom('partials').select('text').where('runId', '=', runId);
  };
  const texts = ['a', 'b'].map((text) => {
    const { connection } = connect();
    connection.run(insertPartials, { rows: [partial('r', text)] });
    return connection.first(find, { runId: 'r' })?.text;
  });
  expect(texts).toEqual(['a', 'b']);
  expect(built).toBe(1);
});

test('a query that fails throws, and the number of changed rows is returned', () => {
  const { connection } = connect();
  const rename = (db: Db, { text }: { readonly text: string }) =>
    db.updateTable('partials').set({ text });
  connection.run(insertPartials, { rows: [partial('r1'), partial('r2')] });
  expect(connection.run(rename, { text: 'x' })).toBe(2);
  const unknown = (db: Db, { id }: { readonly id: string }) =>
    db.selectFrom('runs').selectAll().where('id', '=', id);
  expect(() => connection.first(unknown, { id: 'r1' })).toThrow('no such table: runs');
});

test('a transaction whose work throws is rolled back', async () => {
  const { connection, database } = connect();
  const failing = connection.transaction(async () => {
    connection.run(insertPartials, { rows: [partial('r1')] });
    throw new Error('no more');
  });
  await expect(failing).rejects.toThrow('no more');
  expect(database.prepare('select * from partials').all()).toEqual([]);
});

test('a transaction on a full disk fails with that reason, and the next transaction works', async () => {
  const { connection, database } = connect();
  database.pragma('max_page_count = 10');
  const tooMuch = connection.transaction(async () => {
    connection.run(insertPartials, { rows: [partial('r1')] });
    connection.run(insertPartials, { rows: [partial('r2', 'x'.repeat(1_000_000))] });
  });
  await expect(tooMuch).rejects.toThrow('database or disk is full');
  await connection.transaction(async () =>
    connection.run(insertPartials, { rows: [partial('r3')] }),
  );
  expect(database.prepare('select run_id from partials').pluck().all()).toEqual(['r3']);
});

test('a connection beside another reads what it committed, also during its transaction', async () => {
  const file = join(databaseFolder(), 'beside.sqlite');
  const database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.exec('create table partials (run_id text, message_id text, text text)');
  const writer = new Connection(database);
  const reading = new Sqlite(file, { readonly: true });
  const reader = new Connection(reading, { beside: writer });
  onTestFinished(async () => {
    await reader.close();
    await writer.close();
  });
  const prepare = vi.spyOn(reading, 'prepare');
  const all = (db: Db) => db.selectFrom('partials').select('runId');
  const found = () => reader.rows(all, {}).map(({ runId }) => runId);
  await writer.transaction(async () => writer.run(insertPartials, { rows: [partial('r1')] }));
  expect(found()).toEqual(['r1']);
  expect(prepare).not.toHaveBeenCalled();
  await writer.transaction(async () => {
    writer.run(insertPartials, { rows: [partial('r2')] });
    expect(found()).toEqual(['r1']);
    expect(reader.first(all, {})).toEqual({ runId: 'r1' });
  });
  expect(prepare).toHaveBeenCalled();
  expect(found()).toEqual(['r1', 'r2']);
});

describe('while another connection writes', () => {
  /** Two connections to a file; the other has the write lock until it is released. */
  function connectBusy(maxBusyMs: number): {
    readonly connection: Connection;
    readonly release: () => void;
  } {
    const file = join(databaseFolder(), 'busy.sqlite');
    const other = new Sqlite(file);
    other.pragma('journal_mode = WAL');
    other.exec('create table partials (run_id text, message_id text, text text)');
    other.exec('begin immediate');
    const connection = new Connection(new Sqlite(file, { timeout: 0 }), { maxBusyMs });
    onTestFinished(async () => {
      await connection.close();
      other.close();
    });
    return { connection, release: () => void other.exec('commit') };
  }

  test('a transaction waits for it, and the event loop runs meanwhile', async () => {
    const { connection, release } = connectBusy(10_000);
    const work = vi.fn<() => Promise<number>>(async () =>
      connection.run(insertPartials, { rows: [partial('r1')] }),
    );
    const written = connection.transaction(work);
    // The same event loop releases the lock, so a transaction that blocked it would never end.
    await new Promise((resolve) => void setTimeout(resolve, 5));
    expect(work).not.toHaveBeenCalled();
    release();
    expect(await written).toBe(1);
    expect(work).toHaveBeenCalledTimes(1);
  });

  test('a transaction gives up after its time with an error that says so', async () => {
    const { connection, release } = connectBusy(20);
    const work = vi.fn<() => Promise<void>>(() => Promise.resolve());
    await expect(connection.transaction(work)).rejects.toMatchObject({
      name: 'StorageError',
      reason: 'busy',
      message:
        'other processes have been writing to the database for 0.02 s; nothing was changed, try again later',
    });
    expect(work).not.toHaveBeenCalled();
    release();
    await connection.transaction(work);
    expect(work).toHaveBeenCalledTimes(1);
  });
});
