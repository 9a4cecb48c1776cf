import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectSqliteHosts, type SqliteHost } from './official-hosts.ts';

describe.each(connectSqliteHosts)('a host on the %s', (_name, connect) => {
  let folder: string;
  let database: Database.Database;
  let host: SqliteHost;
  let action: 'accept' | 'decline' = 'accept';
  let lists = 0;
  const updates: string[] = [];
  const asked: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'interop-sqlite-'));
    const path = join(folder, 'shop.db');
    database = new Database(path).exec(
      "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users VALUES (1, 'Ada'), (2, 'Grace'); CREATE TABLE orders(id)",
    );
    host = await connect({
      args: [path],
      onUpdated: (uri) => updates.push(uri),
      onListChanged: () => (lists += 1),
      sample: () => '```sql\nSELECT count(*) AS n FROM users\n```',
      elicit: (message) => {
        asked.push(message);
        return action;
      },
    });
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    database.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('reads resources, completes tables and gets a prompt', async () => {
    expect(await host.listResources()).toEqual([
      'memo://insights',
      'sqlite://main',
      'sqlite://main/orders',
      'sqlite://main/users',
    ]);
    expect(JSON.parse(await host.readText('sqlite://main/users'))).toMatchObject({ rowCount: 2 });
    expect(await host.completeTable('o')).toEqual(['orders']);
    expect(JSON.stringify(await host.getPrompt('analyze_table', { table: 'users' }))).toContain(
      'Grace',
    );
  });

  test('receives a chart as an image, and a prediction', async () => {
    const { content } = await host.callTool('chart_query', { query: 'SELECT name, id FROM users' });
    expect(content).toMatchObject([{ type: 'text' }, { type: 'image', mimeType: 'image/svg+xml' }]);
    const { structuredContent } = await host.callTool('predict_trend', {
      query:
        'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 12) SELECT x, 2 * x FROM n',
      horizon: 1,
    });
    expect(structuredContent).toMatchObject({ forecast: [{ time: 13, value: 26 }] });
  });

  test('answers a question with its own model after its user agreed', async () => {
    action = 'accept';
    const { structuredContent } = await host.callTool('ask_database', { question: 'How many?' });
    expect(structuredContent).toMatchObject({ executed: true, model: 'mock', rows: [[2]] });
    expect(asked.at(-1)).toContain('SELECT count(*) AS n FROM users');
  });

  test('deletes all rows only after its user agreed', async () => {
    const count = () => database.prepare('SELECT count(*) FROM orders').pluck().get();
    const remove = () => host.callTool('write_query', { query: 'DELETE FROM orders' });
    database.exec('INSERT INTO orders VALUES (1), (2)');
    action = 'decline';
    expect(await remove()).toMatchObject({ isError: true });
    expect(count()).toBe(2);
    action = 'accept';
    expect(await remove()).toMatchObject({ structuredContent: { affectedRows: 2 } });
    expect(count()).toBe(0);
  });

  test('is notified of insights, and when another program changes rows and the schema', async () => {
    await host.watch(['sqlite://main', 'sqlite://main/users', 'memo://insights']);
    expect(updates).toEqual([]);
    database.exec("INSERT INTO users VALUES (3, 'Joan')");
    await expect.poll(() => updates, { timeout: 5000 }).toEqual(['sqlite://main/users']);
    await host.callTool('append_insight', { insight: 'More users' });
    await expect.poll(() => updates, { timeout: 5000 }).toContain('memo://insights');
    const before = lists;
    database.exec('CREATE TABLE more(a)');
    await expect.poll(() => updates, { timeout: 5000 }).toContain('sqlite://main');
    await expect.poll(() => lists, { timeout: 5000 }).toBeGreaterThan(before);
  });
});
