import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject, Progress, Task } from '@signalbox/mcp-core';
import type { Client } from '@signalbox/mcp-core/client';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { shareServer } from '../testing/connect.ts';
import { openForReading, replaceDatabase, sharedDatabase } from '../testing/temporary-database.ts';

/**
 * The insertion of a 0 into `slow`, and a row of `endless`, need a number of steps that no machine
 * completes.
 */
const SCHEMA = `CREATE TABLE kept(a); INSERT INTO kept VALUES (7);
  CREATE TABLE wide(id INTEGER PRIMARY KEY);
  INSERT INTO wide WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5000) SELECT x FROM c;
  CREATE VIEW endless AS SELECT count(*) AS a FROM wide a, wide b, wide c, wide d, wide e;
  CREATE TABLE slow(a INTEGER, t);
  CREATE TRIGGER r BEFORE INSERT ON slow WHEN NEW.a = 0 BEGIN SELECT a FROM endless; END`;
const ROWS = 10_000;
const TEXT = 'x'.repeat(2000);
/** More than the 16 MB that SQLite keeps in memory, so that it writes rows into the file before the commit. */
const CSV = `a,t\n${`1,${TEXT}\n`.repeat(ROWS)}0,last\n`;
const EXPORT = `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ${ROWS}) SELECT x, '${TEXT}' AS t FROM c`;
const soon = { timeout: 60_000, interval: 5 };

const path = sharedDatabase();
const folder = join(dirname(path), 'data');
const exported = join(folder, 'out');
mkdirSync(exported, { recursive: true });
const connect = shareServer(path, {
  dataDirectory: folder,
  limits: { timeoutMs: 3_600_000, busyTimeoutMs: 3_600_000 },
});

writeFileSync(join(folder, 'rows.csv'), 'a\n1\n2\n');
writeFileSync(join(folder, 'endless.csv'), CSV);

beforeEach(() => {
  replaceDatabase(path, SCHEMA);
});

const exportedSizes = () =>
  readdirSync(exported).map((name) => statSync(join(exported, name)).size);

function valuesOf(sql: string): unknown[] {
  return openForReading(path).prepare(sql).pluck().all();
}

/** Keeps every other connection from the database. Returns a function that lets them continue. */
function lock(): () => void {
  const other = new Database(path);
  other.exec('BEGIN EXCLUSIVE');
  onTestFinished(() => void other.close());
  return () => void other.close();
}

/** Calls a tool as a task that the client can abort, and records its progress. */
function startTask(client: Client, tool: string, args: JsonObject) {
  const progress: Progress[] = [];
  const controller = new AbortController();
  const started = Promise.withResolvers<Task>();
  const result = client.callTool(tool, args, {
    signal: controller.signal,
    onProgress: (each) => progress.push(each),
    task: {
      request: {},
      onTask: started.resolve,
    },
  });
  const outcome = result.then(
    (value) => value as unknown,
    (error: unknown) => error,
  );
  return { started: started.promise, outcome, progress, abort: () => controller.abort() };
}

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  test('gets the results and errors of imports and exports that became tasks', async () => {
    const client = await connect({ era });
    const release = lock();
    const query = 'SELECT a FROM kept WHERE a = 7';
    const file = `${era}.csv`;
    const calls: readonly (readonly [tool: string, args: JsonObject, expected: object])[] = [
      [
        'import_data',
        { path: 'rows.csv', table: 'made', createTable: true },
        { structuredContent: { rows: 2, table: 'made', errors: [] } },
      ],
      [
        'import_data',
        { rows: [{ a: 1 }, { b: 2 }], columns: ['a'], table: 'kept' },
        { isError: true, structuredContent: { rows: 0, errors: [{ line: 2 }] } },
      ],
      ['export_query', { query }, { structuredContent: { text: 'a\n7\n', rows: 1 } }],
      [
        'export_query',
        { query, path: `out/${file}` },
        { structuredContent: { path: join(exported, file), rows: 1, bytes: 4 } },
      ],
    ];
    const started = calls.map(([tool, args]) => startTask(client, tool, args));
    const tasks = await Promise.all(started.map((call) => call.started));
    expect(tasks.map(({ status }) => status)).toEqual(Array(4).fill('working'));
    release();
    for (const [index, [, , expected]] of calls.entries()) {
      const { taskId = '' } = tasks[index] ?? {};
      expect(await started[index]?.outcome).toMatchObject(expected);
      expect(await client.tasks.result(taskId)).toMatchObject(expected);
    }
    expect(valuesOf('SELECT a FROM made')).toEqual([1, 2]);
    expect(valuesOf('SELECT a FROM kept')).toEqual([7]);
    expect(readFileSync(join(exported, file), 'utf8')).toBe('a\n7\n');
    rmSync(join(exported, file));
  });

  test('follows the progress of an import task, and its cancellation leaves no row', async () => {
    const client = await connect({ era });
    const { size } = statSync(path);
    const release = lock();
    const call = startTask(client, 'import_data', { path: 'endless.csv', table: 'slow' });
    const { taskId } = await call.started;
    release();
    // Rows of the transaction are in the file.
    await vi.waitFor(() => expect(statSync(path).size).toBeGreaterThan(size + 1_000_000), soon);
    const statusMessage = expect.stringMatching(/^Read \d+ of 20030011 bytes$/) as string;
    expect(await client.tasks.get(taskId)).toMatchObject({ status: 'working', statusMessage });
    // The task of a modern client has the message instead.
    expect(call.progress.length > 0).toBe(era === 'legacy');
    call.abort();
    expect(await call.outcome).toMatchObject({ code: 'request-cancelled' });
    expect(await client.tasks.get(taskId)).toMatchObject({ status: 'cancelled' });
    // Waits for the writing process, and completes the rollback.
    const next = await client.callTool('import_data', { table: 'kept', rows: [{ a: 8 }] });
    expect(next.structuredContent).toMatchObject({ rows: 1 });
    expect(valuesOf('SELECT count(*) FROM slow')).toEqual([0]);
    expect(valuesOf('SELECT a FROM kept')).toEqual([7, 8]);
    expect(valuesOf('PRAGMA integrity_check')).toEqual(['ok']);
  });

  test('follows the progress of an export task, and its cancellation leaves no file', async () => {
    const client = await connect({ era });
    const release = lock();
    const query = `${EXPORT} UNION ALL SELECT a, 'last' FROM endless`;
    const call = startTask(client, 'export_query', { query, path: 'out/made.csv' });
    const { taskId } = await call.started;
    release();
    await vi.waitFor(() => expect(exportedSizes()[0]).toBeGreaterThan(1_200_000), soon);
    const { status, statusMessage } = await client.tasks.get(taskId);
    expect([status, statusMessage]).toEqual([
      'working',
      expect.stringMatching(/^Wrote \d{7,} characters$/),
    ]);
    call.abort();
    expect(await call.outcome).toMatchObject({ code: 'request-cancelled' });
    expect(await client.tasks.get(taskId)).toMatchObject({ status: 'cancelled' });
    await vi.waitFor(() => expect(exportedSizes()).toEqual([]), soon);
    // The next one waits for the end of this one.
    const args = { query: 'SELECT a FROM kept', path: 'out/made.csv' };
    expect((await client.callTool('export_query', args)).isError ?? false).toBe(false);
    rmSync(join(exported, 'made.csv'));
  });
});
