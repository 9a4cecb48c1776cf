import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@signalbox/mcp-core';
import { connectClient, type Client } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connect, shareServer } from './testing/connect.ts';
import {
  openForReading,
  replaceDatabase,
  sharedDatabase,
  temporaryDatabase,
} from './testing/temporary-database.ts';

const path = sharedDatabase();
const serve = shareServer(path);

function connectNew(sql: string): Promise<Client> {
  replaceDatabase(path, sql);
  return serve();
}

/** Returns the structured content of a call, or the text of its error. */
async function outcomeOf(client: Client, tool: string, args: JsonObject): Promise<unknown> {
  const { isError, structuredContent, content } = await client.callTool(tool, args);
  return isError === true ? (content[0] as { readonly text: string }).text : structuredContent;
}

const writeTo = (client: Client, query: string, params?: unknown) =>
  outcomeOf(client, 'write_query', params === undefined ? { query } : { query, params });

function valuesOf(file: string, sql: string): unknown[] {
  return openForReading(file).prepare(sql).pluck().all();
}

/** Inserts `count` rows of about a kilobyte. */
const insertMany = (count: number) =>
  `INSERT INTO t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ${count}) SELECT printf('%.1000c', 'x') FROM c`;

describe('a file', () => {
  test('that was replaced or deleted since the last write is opened again or reported', async () => {
    const client = await connectNew('CREATE TABLE t(a)');
    expect(await writeTo(client, 'INSERT INTO t VALUES (1)')).toMatchObject({ affectedRows: 1 });
    replaceDatabase(path, 'CREATE TABLE t(a); INSERT INTO t VALUES (7)');
    expect(await writeTo(client, 'INSERT INTO t VALUES (8)')).toMatchObject({ affectedRows: 1 });
    expect(valuesOf(path, 'SELECT a FROM t')).toEqual([7, 8]);
    rmSync(path);
    expect(await writeTo(client, 'INSERT INTO t VALUES (9)')).toContain('no longer exists');
  });

  test('that is replaced during a write keeps its content, and nothing is applied', async () => {
    const client = await connectNew('CREATE TABLE t(a)');
    await writeTo(client, 'INSERT INTO t VALUES (1)');
    const writing = writeTo(
      client,
      'INSERT INTO t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000000) SELECT count(*) FROM c',
    );
    const other = new Database(path, { timeout: 0 });
    await vi.waitFor(
      () => {
        expect(() => other.exec('BEGIN IMMEDIATE; ROLLBACK')).toThrow('database is locked');
      },
      { timeout: 10_000, interval: 1 },
    );
    other.close();
    renameSync(path, `${path}.old`);
    replaceDatabase(path, 'CREATE TABLE t(a)');
    expect(await writing).toMatch(/was replaced|DBMOVED/);
    expect(valuesOf(path, 'SELECT a FROM t')).toEqual([]);
    expect(valuesOf(`${path}.old`, 'SELECT a FROM t')).toEqual([1]);
  });

  test('with damaged pages fails a write and leaves other databases usable', async () => {
    const damaged = temporaryDatabase(`CREATE TABLE t(a); ${insertMany(20)}`);
    const handle = new Database(damaged);
    const bytes = handle.serialize();
    handle.close();
    bytes.fill(0xff, 4096);
    writeFileSync(damaged, bytes);
    const client = await connect(damaged, {
      databases: { good: temporaryDatabase('CREATE TABLE t(a)') },
    });
    expect(await writeTo(client, "UPDATE t SET a = 'y' WHERE a > ''")).toMatch(
      /SQLITE_CORRUPT.*damaged; PRAGMA integrity_check/,
    );
    const args = { query: 'INSERT INTO t VALUES (1)', database: 'good' };
    expect(await outcomeOf(client, 'write_query', args)).toMatchObject({ affectedRows: 1 });
  });

  test('that is no database fails a write and is not changed', async () => {
    const text = join(dirname(temporaryDatabase()), 'text.db');
    writeFileSync(text, 'no database '.repeat(100));
    const client = await connect(text);
    expect(await outcomeOf(client, 'create_table', { query: 'CREATE TABLE t(a)' })).toContain(
      'SQLITE_NOTADB',
    );
  });
});

describe('a full disk', () => {
  const main = [
    process.execPath,
    '--conditions=@signalbox/source',
    fileURLToPath(new URL('main.ts', import.meta.url)),
  ];
  const hasNamespaces = spawnSync('unshare', ['-Urm', 'true']).status === 0;

  /** Starts a server through a shell script, which gets the command as its arguments. */
  async function start(prefix: readonly string[], script: string, file: string): Promise<Client> {
    const [command, ...args] = [...prefix, 'sh', '-c', script, 'sh', ...main, file];
    const open = () =>
      spawnStdio({
        command,
        args,
        env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' },
      });
    const client = await connectClient(open, { info: { name: 'test', version: '1' } });
    onTestFinished(() => client.close());
    return client;
  }

  test.runIf(hasNamespaces)('fails a write with SQLITE_FULL, and applies nothing', async () => {
    const folder = join(dirname(temporaryDatabase()), 'small');
    mkdirSync(folder);
    const client = await start(
      ['unshare', '-Urm'],
      `mount -t tmpfs -o size=512k tmpfs '${folder}' && exec "$@"`,
      join(folder, 'data.db'),
    );
    await outcomeOf(client, 'create_table', { query: 'CREATE TABLE t(a)' });
    await writeTo(client, insertMany(10));
    expect(await writeTo(client, insertMany(1000))).toBe(
      'SQLITE_FULL: database or disk is full. The disk is full, or the database has reached its size limit.',
    );
    const counted = { query: 'SELECT count(*) FROM t' };
    expect(await outcomeOf(client, 'read_query', counted)).toMatchObject({ rows: [[10]] });
    const checked = { query: 'PRAGMA integrity_check' };
    expect(await outcomeOf(client, 'read_query', checked)).toMatchObject({ rows: [['ok']] });
    expect(await writeTo(client, insertMany(10))).toMatchObject({ affectedRows: 10 });
  });

  test.runIf(process.platform === 'linux')(
    'of another kind, a limit of the file size, fails a write, and applies nothing',
    async () => {
      const file = temporaryDatabase('CREATE TABLE t(a)');
      const client = await start([], 'ulimit -f 512 && exec "$@"', file);
      await writeTo(client, insertMany(10));
      expect(await writeTo(client, insertMany(1000))).toContain('SQLITE_IOERR_WRITE');
      const checked = { query: 'SELECT count(*), (SELECT * FROM pragma_integrity_check) FROM t' };
      expect(await outcomeOf(client, 'read_query', checked)).toMatchObject({ rows: [[10, 'ok']] });
      expect(await writeTo(client, insertMany(10))).toMatchObject({ affectedRows: 10 });
    },
  );
});

describe('an argument', () => {
  test('of 10 MiB, or with 100,000 parameters, is refused with the limit', async () => {
    const client = await connectNew('CREATE TABLE t(a)');
    const long = `INSERT INTO t VALUES ('${'x'.repeat(10 * 2 ** 20)}')`;
    expect(await writeTo(client, long)).toContain('1000000');
    const many = Array.from({ length: 100_000 }, (_, index) => index);
    expect(await writeTo(client, 'INSERT INTO t VALUES (?)', many)).toContain(
      'There are 100000 parameters; one statement takes at most 32766.',
    );
    const most = many.slice(0, 32_766);
    const insert = `INSERT INTO t VALUES ${most.map(() => '(?)').join(',')}`;
    expect(await writeTo(client, insert, most)).toMatchObject({ affectedRows: 32_766 });
  });

  test.each([
    ['a quote and a statement', 'x"; DROP TABLE users; --'],
    ['single quotes', "it's '' '"],
    ['brackets', 'a]b[c'],
    ['line ends and controls', 'a\n--\r\t\u001b[31m'],
    ['a direction mark', 'abc\u202Ecba'],
    ['an emoji', '🗑️'],
    ['a keyword', 'WHERE'],
    ['spaces only', ' '],
    ['ten thousand characters', 'n'.repeat(10_000)],
  ])('can be a table name with %s', async (_, name) => {
    const client = await connectNew('CREATE TABLE users(a); INSERT INTO users VALUES (1)');
    const quoted = `"${name.replaceAll('"', '""')}"`;
    const created = await outcomeOf(client, 'create_table', { query: `CREATE TABLE ${quoted}(a)` });
    expect(created).toEqual({ table: name.slice(0, 100) });
    expect(await writeTo(client, `INSERT INTO main.${quoted} VALUES (1), (2)`)).toMatchObject({
      affectedRows: 2,
    });
    const listed = await client.callTool('list_tables', {});
    expect(JSON.stringify(listed.structuredContent)).toContain('"rowEstimate":2');
    for (const [tool, query] of [
      ['write_query', `DELETE FROM ${quoted}`],
      ['alter_schema', `DROP TABLE ${quoted}`],
    ] as const) {
      const { structuredContent, content } = await client.callTool(tool, { query });
      const { confirmToken = '' } = structuredContent as { readonly confirmToken?: string };
      expect((content[0] as { readonly text: string }).text).toMatch(/, [02] rows/);
      const confirmed = await client.callTool(tool, { query, confirmToken });
      expect(confirmed.isError ?? false).toBe(false);
    }
    expect(valuesOf(path, 'SELECT name FROM sqlite_schema')).toEqual(['users']);
    expect(valuesOf(path, 'SELECT a FROM users')).toEqual([1]);
  });
});

test('a trigger of another program cannot use unsafe functions in a write', async () => {
  const client = await connectNew(
    `CREATE TABLE t(a); CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT fts3_tokenizer('simple'); END;
     CREATE TABLE u(a); CREATE TRIGGER s AFTER INSERT ON u BEGIN SELECT load_extension('x.so'); END`,
  );
  for (const table of ['t', 'u'])
    expect(await writeTo(client, `INSERT INTO ${table} VALUES (1)`)).toMatch(
      /unsafe use of|would do more than|not authorized|no such function/,
    );
  expect(valuesOf(path, 'SELECT count(*) FROM t')).toEqual([0]);
});

test('a table of a virtual module cannot be damaged through its shadow tables', async () => {
  const client = await connectNew(
    "CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('x')",
  );
  for (const query of [
    'INSERT INTO f_data VALUES (1, 2)',
    "UPDATE f_config SET v = 9 WHERE k = 'version'",
    'DELETE FROM f_content WHERE id = 1',
  ])
    expect(await writeTo(client, query)).toContain('may not be modified');
  expect(await outcomeOf(client, 'create_table', { query: 'CREATE TABLE g_data(a)' })).toEqual({
    table: 'g_data',
  });
});
