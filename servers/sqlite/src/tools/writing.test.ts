import type { JsonObject } from '@signalbox/mcp-core';
import type { Client } from '@signalbox/mcp-core/client';
import { describe, expect, test } from 'vitest';
import { connect, shareServer, type ClientOptions } from '../testing/connect.ts';
import {
  openForReading,
  replaceDatabase,
  sharedDatabase,
  temporaryDatabase,
} from '../testing/temporary-database.ts';

const SCHEMA = `CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  INSERT INTO users VALUES (1, 'Ada'), (2, 'Grace'), (3, 'Edsger');
  CREATE TABLE orders(id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE);
  INSERT INTO orders VALUES (1, 1);
  CREATE VIEW names AS SELECT name FROM users;
  CREATE TRIGGER rename INSTEAD OF UPDATE ON names BEGIN UPDATE users SET name = new.name WHERE name = old.name; END;`;

const path = sharedDatabase();
const serve = shareServer(path);

/** Connects a client to the shared server with a new database. */
function connectNew(sql: string, options: ClientOptions = {}): Promise<Client> {
  replaceDatabase(path, sql);
  return serve(options);
}

/** Returns the structured content of a call, or the text of its error. */
async function outcomeOf(client: Client, tool: string, args: JsonObject): Promise<unknown> {
  const { isError, structuredContent, content } = await client.callTool(tool, args);
  return isError === true ? (content[0] as { readonly text: string }).text : structuredContent;
}

function valuesOf(file: string, sql: string): unknown[] {
  return openForReading(file).prepare(sql).pluck().all();
}

describe('write_query', () => {
  test.each(['legacy', 'modern'] as const)('writes for a %s client', async (era) => {
    const client = await connectNew(SCHEMA, { era });
    const write = (query: string, params?: unknown) =>
      outcomeOf(client, 'write_query', params === undefined ? { query } : { query, params });
    expect(await write("INSERT INTO users(name) VALUES ('Alan'), (?)", ['Barbara'])).toEqual({
      affectedRows: 2,
      lastInsertRowid: 5,
    });
    expect(
      await write('UPDATE users SET name = upper(name) WHERE id < :n RETURNING id, name', { n: 3 }),
    ).toEqual({
      affectedRows: 2,
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'name', type: 'text' },
      ],
      rows: [
        [1, 'ADA'],
        [2, 'GRACE'],
      ],
      rowCount: 2,
      truncated: false,
    });
    expect(await write('INSERT OR IGNORE INTO users VALUES (1, 0)')).toEqual({ affectedRows: 0 });
    expect(await write("INSERT INTO users VALUES (9223372036854775807, 'max')")).toEqual({
      affectedRows: 1,
      lastInsertRowid: '9223372036854775807',
    });
    expect(valuesOf(path, 'SELECT count(*) FROM users')).toEqual([6]);
  });

  test('reports no rowid for tables without one and for views', async () => {
    const client = await connectNew(
      `${SCHEMA} CREATE TABLE w(k PRIMARY KEY) WITHOUT ROWID; CREATE VIEW v AS SELECT id FROM orders;
       CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN INSERT INTO orders VALUES (new.id, 1); END`,
    );
    await client.callTool('write_query', { query: 'INSERT INTO orders VALUES (7, 1)' });
    for (const query of ['INSERT INTO w VALUES (1)', 'INSERT INTO v VALUES (8)'])
      expect(await outcomeOf(client, 'write_query', { query })).toEqual({ affectedRows: 1 });
    expect(valuesOf(path, 'SELECT id FROM orders')).toEqual([1, 7, 8]);
  });

  test('limits the rows of RETURNING and still changes all', async () => {
    const file = temporaryDatabase(SCHEMA);
    const client = await connect(file, { limits: { maxRows: 2 } });
    const query = "UPDATE users SET name = 'x' WHERE id > 0 RETURNING id";
    expect(await outcomeOf(client, 'write_query', { query })).toMatchObject({
      affectedRows: 3,
      rowCount: 2,
      truncated: true,
    });
    expect(valuesOf(file, 'SELECT name FROM users')).toEqual(['x', 'x', 'x']);
  });

  test('applies nothing of a statement that fails, and says why', async () => {
    const client = await connectNew(SCHEMA);
    const write = (query: string) => outcomeOf(client, 'write_query', { query });
    expect(await write('INSERT INTO orders VALUES (4, 999)')).toBe(
      'SQLITE_CONSTRAINT_FOREIGNKEY: FOREIGN KEY constraint failed',
    );
    expect(await write('INSERT INTO users SELECT 4, null')).toContain('SQLITE_CONSTRAINT_NOTNULL');
    expect(await write('UPDATE users SET nme = 1 WHERE id = 1')).toBe(
      'SQLITE_ERROR: no such column: nme. Existing columns: users.id, users.name',
    );
    expect(await write('INSERT INTO users VALUES (?, ?)')).toContain('Too few');
    expect(await write('DROP TABLE users')).toContain('alter_schema');
    expect(valuesOf(path, 'SELECT name FROM users')).toEqual(['Ada', 'Grace', 'Edsger']);
  });

  test('fails a write whose deferred foreign keys do not hold at the commit', async () => {
    const client = await connectNew(
      'CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(a REFERENCES a DEFERRABLE INITIALLY DEFERRED)',
    );
    expect(await outcomeOf(client, 'write_query', { query: 'INSERT INTO b VALUES (1)' })).toContain(
      'SQLITE_CONSTRAINT_FOREIGNKEY',
    );
    expect(valuesOf(path, 'SELECT count(*) FROM b')).toEqual([0]);
    const query = 'INSERT INTO a VALUES (1)';
    expect(await outcomeOf(client, 'write_query', { query })).toMatchObject({ affectedRows: 1 });
  });
});

describe('create_table and alter_schema', () => {
  test('define, change and drop objects', async () => {
    const file = temporaryDatabase();
    const client = await connect(file, { confirm: 'never' });
    const alter = (query: string) => outcomeOf(client, 'alter_schema', { query });
    expect(
      await outcomeOf(client, 'create_table', {
        query: 'CREATE TABLE "a b"(id INTEGER PRIMARY KEY, x)',
      }),
    ).toEqual({ table: 'a b' });
    expect(
      await outcomeOf(client, 'create_table', { query: 'CREATE VIRTUAL TABLE f USING fts5(x)' }),
    ).toEqual({ table: 'f' });
    expect(await alter('CREATE UNIQUE INDEX i ON "a b"(x)')).toEqual({
      object: { type: 'index', name: 'i' },
    });
    expect(await alter('CREATE VIEW v AS SELECT x FROM "a b"')).toMatchObject({
      object: { name: 'v' },
    });
    expect(
      await alter(
        'CREATE TRIGGER r AFTER INSERT ON "a b" BEGIN INSERT INTO f VALUES (new.x); END;',
      ),
    ).toEqual({ object: { type: 'trigger', name: 'r' } });
    expect(await alter('ALTER TABLE "a b" ADD COLUMN y')).toMatchObject({
      object: { name: 'a b' },
    });
    await client.callTool('write_query', { query: 'INSERT INTO "a b" VALUES (1, \'word\', 2)' });
    expect(valuesOf(file, "SELECT x FROM f WHERE f MATCH 'word'")).toEqual(['word']);
    for (const query of [
      'ALTER TABLE "a b" RENAME COLUMN y TO z',
      'ALTER TABLE "a b" DROP COLUMN z',
      'DROP TRIGGER r',
      'DROP VIEW v',
      'DROP INDEX i',
      'ALTER TABLE "a b" RENAME TO c',
      'DROP TABLE c',
      'DROP TABLE f',
    ])
      expect([query, await alter(query)]).toEqual([
        query,
        { object: expect.anything() as unknown },
      ]);
    expect(valuesOf(file, 'SELECT name FROM sqlite_schema')).toEqual([]);
  });

  test('refuse tables that exist and other statements', async () => {
    const client = await connectNew(SCHEMA);
    const create = (query: string) => outcomeOf(client, 'create_table', { query });
    expect(await create('CREATE TABLE users(a)')).toBe('SQLITE_ERROR: table users already exists');
    expect(await create('CREATE TEMP TABLE x(a)')).toContain('Temporary objects are not allowed');
    expect(await create('CREATE INDEX i ON users(name)')).toContain('alter_schema');
    expect(await create('CREATE VIRTUAL TABLE z USING zipfile(x)')).toContain('fts5');
  });
});

describe('execute_batch', () => {
  test('applies all statements in one transaction', async () => {
    const client = await connectNew(SCHEMA);
    const statements = [
      { query: 'CREATE TABLE log(id INTEGER PRIMARY KEY, text)' },
      { query: 'INSERT INTO log(text) VALUES (?) RETURNING id', params: ['x'] },
      { query: 'UPDATE users SET name = :n WHERE id = 1', params: { n: 'Augusta' } },
    ];
    expect(await outcomeOf(client, 'execute_batch', { statements })).toEqual({
      results: [
        { object: { type: 'table', name: 'log' } },
        {
          affectedRows: 1,
          lastInsertRowid: 1,
          columns: [{ name: 'id', type: 'integer' }],
          rows: [[1]],
          rowCount: 1,
          truncated: false,
        },
        { affectedRows: 1 },
      ],
    });
    expect(valuesOf(path, 'SELECT name FROM users WHERE id = 1')).toEqual(['Augusta']);
  });

  test('applies none when one fails or is refused, and names its index', async () => {
    const client = await connectNew(SCHEMA);
    const batch = (...queries: readonly string[]) =>
      outcomeOf(client, 'execute_batch', { statements: queries.map((query) => ({ query })) });
    const insert = 'INSERT INTO orders VALUES (50, 1)';
    expect(await batch(insert, insert)).toBe(
      'Statement index 1 failed, so that none of the statements was applied. SQLITE_CONSTRAINT_PRIMARYKEY: UNIQUE constraint failed: orders.id',
    );
    expect(await batch(insert, 'SELECT 1')).toContain(
      'Statement index 1 is refused; nothing was applied. SELECT changes nothing',
    );
    expect(await batch(insert, 'COMMIT')).toContain('COMMIT is not allowed');
    expect(valuesOf(path, 'SELECT id FROM orders')).toEqual([1]);
  });

  test('returns a thousand results, and rows as far as they fit', async () => {
    const client = await connectNew(SCHEMA);
    const statements = Array.from({ length: 1000 }, () => ({
      query: "INSERT INTO orders(user_id) VALUES (1) RETURNING id, printf('%.900c', 'x')",
    }));
    const { results } = (await outcomeOf(client, 'execute_batch', { statements })) as {
      readonly results: readonly { readonly lastInsertRowid: number }[];
    };
    expect(results).toHaveLength(1000);
    expect(results[999]).toMatchObject({ lastInsertRowid: 1001, rowCount: 1 });
  });
});

describe('a call for a database', () => {
  test('uses the first by default and others by name', async () => {
    const [a, b] = [temporaryDatabase('CREATE TABLE a(x)'), temporaryDatabase('CREATE TABLE b(x)')];
    const client = await connect(a, { databases: { other: b } });
    const args = { query: 'INSERT INTO b VALUES (1)', database: 'other' };
    expect(await outcomeOf(client, 'write_query', args)).toMatchObject({ affectedRows: 1 });
    expect(
      await outcomeOf(client, 'read_query', { ...args, query: 'SELECT x FROM b' }),
    ).toMatchObject({ rows: [[1]] });
    expect(await outcomeOf(client, 'list_tables', {})).toMatchObject({ tables: [{ name: 'a' }] });
    expect(
      await outcomeOf(client, 'describe_table', { table_name: 'b', database: 'other' }),
    ).toMatchObject({ name: 'b' });
    for (const tool of ['read_query', 'write_query'])
      expect(await outcomeOf(client, tool, { ...args, database: 'third' })).toMatch(
        'must be one of "main", "other"',
      );
  });
});
