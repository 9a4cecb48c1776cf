import type { Era } from '@signalbox/mcp-core';
import type { Client } from '@signalbox/mcp-core/client';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect, shareServer } from '../testing/connect.ts';
import {
  replaceDatabase,
  sharedDatabase,
  temporaryDatabase,
} from '../testing/temporary-database.ts';

const SCHEMA = `CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  INSERT INTO users VALUES (1, 'Ada'), (2, 'Grace');
  CREATE TABLE orders(id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users);
  CREATE TABLE "we'ird ""tbl"(a);
  CREATE VIEW names AS SELECT name FROM users;`;
const eras: readonly Era[] = ['legacy', 'modern'];
const shared = shareServer(sharedDatabase(SCHEMA), {
  databases: { archive: sharedDatabase('CREATE TABLE old(a)') },
});

async function textOf(client: Client, uri: string): Promise<string> {
  const [contents] = await client.readResource(uri);
  return contents !== undefined && 'text' in contents ? contents.text : '';
}

function openForWriting(path: string): Database.Database {
  const database = new Database(path);
  onTestFinished(() => {
    database.close();
  });
  return database;
}

describe.each(eras)('a %s client', (era) => {
  test('lists the memo, each schema and each table, with the time of the last change', async () => {
    const resources = await (await shared({ era })).listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'memo://insights',
      'sqlite://archive',
      'sqlite://archive/old',
      'sqlite://main',
      'sqlite://main/names',
      'sqlite://main/orders',
      'sqlite://main/users',
      'sqlite://main/we%27ird%20%22tbl',
    ]);
    for (const { uri, annotations } of resources)
      expect(annotations?.lastModified !== undefined).toBe(uri !== 'memo://insights');
  });

  test('reads a schema and a table, also with a name written in another way', async () => {
    const client = await shared({ era });
    expect(JSON.parse(await textOf(client, 'sqlite://main'))).toMatchObject({
      tables: [{ name: 'names' }, { name: 'orders' }, { name: 'users' }, { name: `we'ird "tbl` }],
    });
    expect(JSON.parse(await textOf(client, 'sqlite://main/users'))).toMatchObject({
      name: 'users',
      columns: [{ name: 'id' }, { name: 'name' }],
      rowCount: 2,
      sampleRows: {
        rows: [
          [1, 'Ada'],
          [2, 'Grace'],
        ],
      },
    });
    expect(JSON.parse(await textOf(client, `sqlite://main/we'ird%20%22tbl`))).toMatchObject({
      rowCount: 0,
    });
    expect(JSON.parse(await textOf(client, 'sqlite://archive'))).toMatchObject({
      tables: [{ name: 'old' }],
    });
  });

  test('gets a table without a name from the tools only, because its URI cannot be read', async () => {
    const client = await connect(
      temporaryDatabase('CREATE TABLE ""(x); INSERT INTO "" VALUES (7); CREATE TABLE b(y)'),
      { era },
    );
    const uris = (await client.listResources()).map(({ uri }) => uri);
    expect(uris).toEqual(['memo://insights', 'sqlite://main', 'sqlite://main/b']);
    for (const uri of uris) expect(await textOf(client, uri)).not.toBe('');
    expect((await client.callTool('list_tables', {})).structuredContent).toMatchObject({
      tables: [{ name: '' }, { name: 'b' }],
    });
    expect(
      (await client.callTool('describe_table', { table_name: '' })).structuredContent,
    ).toMatchObject({ name: '', columns: [{ name: 'x' }] });
    expect(
      (await client.callTool('read_query', { query: 'SELECT * FROM ""' })).structuredContent,
    ).toMatchObject({ rows: [[7]] });
    const table = { type: 'ref/resource', uri: 'sqlite://{db}/{table}' } as const;
    expect(await client.complete(table, { name: 'table', value: '' })).toMatchObject({
      values: ['b'],
    });
  });

  test('gets an error for a database or table that does not exist', async () => {
    const client = await shared({ era });
    for (const uri of [
      'sqlite://other',
      'sqlite://main/nope',
      'sqlite://archive/users',
      'memo://x',
    ])
      await expect(client.readResource(uri)).rejects.toThrow('Resource not found');
    const { filter } = await client.watch({ resources: ['sqlite://main/nope', 'sqlite://other'] });
    expect(filter.resourceSubscriptions ?? []).toEqual([]);
  });

  test('completes databases and tables', async () => {
    const client = await shared({ era });
    const complete = async (name: string, value: string, args?: { [key: string]: string }) =>
      (
        await client.complete(
          { type: 'ref/resource', uri: 'sqlite://{db}/{table}' },
          { name, value },
          { chosen: args ?? {} },
        )
      ).values;
    expect(await complete('db', 'm')).toEqual(['main']);
    expect(await complete('db', '')).toEqual(['main', 'archive']);
    expect(await complete('table', 'o', { db: 'main' })).toEqual(['orders']);
    expect(await complete('table', 'o', { db: 'archive' })).toEqual(['old']);
    expect(await complete('table', 'RS')).toEqual(['orders', 'users']);
    expect(await complete('table', 'o', { db: 'other' })).toEqual([]);
  });

  test('is notified of a new insight after it subscribed, and not before', async () => {
    const client = await connect(temporaryDatabase(SCHEMA), { era });
    const updates: string[] = [];
    expect(await textOf(client, 'memo://insights')).toBe(
      'No business insights have been discovered yet.',
    );
    await client.callTool('append_insight', { insight: 'i0' });
    const watch = await client.watch({
      resources: ['memo://insights'],
      onResourceUpdated: (uri) => updates.push(uri),
    });
    expect(await client.callTool('append_insight', { insight: 'i1' })).toMatchObject({
      content: [{ text: 'Insight added to memo' }],
      structuredContent: { count: 2 },
    });
    await expect.poll(() => updates).toEqual(['memo://insights']);
    expect(await textOf(client, 'memo://insights')).toMatch(
      /^📊.*\n- i0\n- i1\nSummary:\n.*2 key/s,
    );
    await watch.close();
  });

  test('is not notified of what only another client of the server subscribed to', async () => {
    const [client, other] = [await shared({ era }), await shared({ era })];
    const updates: string[][] = [[], []];
    await client.watch({ onResourceUpdated: (uri) => updates[0]?.push(uri) });
    await other.watch({
      resources: ['memo://insights'],
      onResourceUpdated: (uri) => updates[1]?.push(uri),
    });
    await client.callTool('append_insight', { insight: 'mine' });
    await expect.poll(() => updates).toEqual([[], ['memo://insights']]);
    await client.listTools();
    expect(updates[0]).toEqual([]);
  });

  test('is notified when another program changes rows or the schema, and no more after it stopped', async () => {
    const path = temporaryDatabase(SCHEMA);
    const other = openForWriting(path);
    const client = await connect(path, { era });
    const updates: string[] = [];
    let lists = 0;
    await client.listResources();
    const watch = await client.watch({
      resources: ['sqlite://main', 'sqlite://main/users'],
      onResourceUpdated: (uri) => updates.push(uri),
      onResourcesChanged: () => (lists += 1),
    });
    other.exec("INSERT INTO users VALUES (3, 'Joan')");
    await expect.poll(() => updates).toEqual(['sqlite://main/users']);
    expect(lists).toBe(0);
    other.exec('CREATE TABLE added(a)');
    await expect
      .poll(() => updates.toSorted().slice(0, 2))
      .toEqual(['sqlite://main', 'sqlite://main/users']);
    await expect.poll(() => lists).toBe(1);
    expect((await client.listResources()).map(({ uri }) => uri)).toContain('sqlite://main/added');
    await watch.close();
    const count = updates.length;
    const witness = await client.watch({
      resources: ['sqlite://main/orders'],
      onResourceUpdated: (uri) => updates.push(uri),
    });
    other.exec('INSERT INTO orders VALUES (1, 1)');
    await expect.poll(() => updates.length).toBeGreaterThan(count);
    expect(updates.slice(count)).not.toContain('sqlite://main/users');
    await witness.close();
  });

  test('is notified of its own writes, in WAL mode, and when the file is replaced', async () => {
    const path = temporaryDatabase(`PRAGMA journal_mode = WAL; ${SCHEMA}`);
    const client = await connect(path, { era });
    let updates = 0;
    await client.watch({
      resources: ['sqlite://main/users'],
      onResourceUpdated: () => (updates += 1),
    });
    await client.callTool('write_query', { query: "INSERT INTO users VALUES (3, 'Joan')" });
    await expect.poll(() => updates).toBeGreaterThan(0);
    const first = updates;
    await client.callTool('write_query', { query: "UPDATE users SET name = 'X' WHERE id = 3" });
    await expect.poll(() => updates).toBeGreaterThan(first);
    const second = updates;
    replaceDatabase(path, 'CREATE TABLE users(id)');
    await expect.poll(() => updates).toBeGreaterThan(second);
  });
});
