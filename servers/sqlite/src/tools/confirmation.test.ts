import type { JsonObject } from '@signalbox/mcp-core';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { shareServer } from '../testing/connect.ts';
import { openForReading, replaceDatabase, sharedDatabase } from '../testing/temporary-database.ts';

const SCHEMA = `CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT);
  INSERT INTO users VALUES (1, 'Ada'), (2, 'Grace'), (3, 'Edsger'); CREATE VIEW v AS SELECT 1`;

/** Destructive calls with the text of their confirmation. */
const destructive: readonly (readonly [tool: string, args: JsonObject, question: string])[] = [
  [
    'write_query',
    { query: "UPDATE users SET name = 'z'" },
    'Every row of "users" is updated, 3 rows.',
  ],
  [
    'write_query',
    { query: 'DELETE FROM users WHERE 1' },
    'Every row of "users" is deleted, 3 rows.',
  ],
  ['alter_schema', { query: 'DROP TABLE users' }, 'The table "users" is dropped, 3 rows.'],
  ['alter_schema', { query: 'DROP VIEW v' }, 'The view "v" is dropped.'],
  [
    'alter_schema',
    { query: 'ALTER TABLE users DROP COLUMN name' },
    'A column of "users" is dropped with its values.',
  ],
  [
    'execute_batch',
    { statements: [{ query: 'INSERT INTO users VALUES (4, 5)' }, { query: 'DELETE FROM users' }] },
    'Every row of "users" is deleted, 3 rows.',
  ],
];
/** Calls that are confirmed with `--confirm always` only. */
const routine: readonly (readonly [tool: string, args: JsonObject])[] = [
  ['write_query', { query: 'UPDATE users SET name = 1 WHERE id = 1' }],
  ['write_query', { query: 'DELETE FROM users WHERE id = ?', params: [2] }],
  ['write_query', { query: "REPLACE INTO users VALUES (1, 'x')" }],
  ['alter_schema', { query: 'ALTER TABLE users RENAME TO people' }],
  ['execute_batch', { statements: [{ query: 'UPDATE users SET name = 1 WHERE id = 1' }] }],
];
/** Calls that are never confirmed. */
const harmless: readonly (readonly [tool: string, args: JsonObject])[] = [
  ['write_query', { query: "INSERT INTO users(name) VALUES ('new')" }],
  ['create_table', { query: 'CREATE TABLE t(a)' }],
  ['alter_schema', { query: 'CREATE INDEX i ON users(name)' }],
];

const path = sharedDatabase();
const other = sharedDatabase(SCHEMA);
const connect = shareServer(path, { databases: { other } });
const connectAlways = shareServer(path, { confirm: 'always' });
const connectNever = shareServer(path, { confirm: 'never' });

beforeEach(() => {
  replaceDatabase(path, SCHEMA);
});

function stateOf(file: string): unknown[] {
  const database = openForReading(file);
  return [
    database.prepare('SELECT * FROM sqlite_schema').all(),
    database.prepare('SELECT * FROM users').all(),
  ];
}

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  test.each(destructive)('with elicitation confirms %s %j', async (tool, args, question) => {
    const before = stateOf(path);
    const asked: string[] = [];
    let answer: 'accept' | 'decline' = 'decline';
    const client = await connect({ era, elicit: (message) => (asked.push(message), answer) });
    expect(await client.callTool(tool, args)).toMatchObject({
      isError: true,
      content: [{ text: 'The user declined. Nothing was done.' }],
    });
    expect(stateOf(path)).toEqual(before);
    answer = 'accept';
    expect((await client.callTool(tool, args)).isError ?? false).toBe(false);
    expect(asked).toEqual([expect.stringContaining(question), expect.stringContaining(question)]);
    expect(asked[0]).toContain('In the database main: ');
  });

  test.each(destructive)(
    'without elicitation needs the token for %s %j',
    async (tool, args, question) => {
      const before = stateOf(path);
      const client = await connect({ era });
      const refusal = await client.callTool(tool, args);
      expect(refusal).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(question) as string }],
        structuredContent: { impact: expect.stringContaining(question) as string },
      });
      expect(stateOf(path)).toEqual(before);
      const { confirmToken } = refusal.structuredContent as { readonly confirmToken: string };
      expect((await client.callTool(tool, { ...args, confirmToken })).isError ?? false).toBe(false);
      const again = await client.callTool(tool, { ...args, confirmToken });
      expect(again.isError).toBe(true);
    },
  );

  test('confirms routine changes with the policy always only, and new things never', async () => {
    for (const [tool, args] of [...routine, ...harmless]) {
      const asked: string[] = [];
      const elicit = (message: string) => (asked.push(message), 'accept' as const);
      replaceDatabase(path, SCHEMA);
      const auto = await connect({ era, elicit });
      expect([args, (await auto.callTool(tool, args)).isError ?? false]).toEqual([args, false]);
      expect([args, asked]).toEqual([args, []]);
      replaceDatabase(path, SCHEMA);
      const always = await connectAlways({ era, elicit });
      expect((await always.callTool(tool, args)).isError ?? false).toBe(false);
      expect([args, asked.length]).toEqual([
        args,
        harmless.some((each) => each[1] === args) ? 0 : 1,
      ]);
    }
  });

  test('gets no confirmation with the policy never', async () => {
    for (const [tool, args] of destructive) {
      replaceDatabase(path, SCHEMA);
      const client = await connectNever({ era });
      expect([args, (await client.callTool(tool, args)).isError ?? false]).toEqual([args, false]);
    }
  });
});

test('a token is valid for its statement, parameters, database and number of rows only', async () => {
  const client = await connect();
  const call = { query: 'DELETE FROM users WHERE ?', params: [1] };
  const tokenFor = async () => {
    const refusal = await client.callTool('write_query', call);
    return (refusal.structuredContent as { readonly confirmToken: string }).confirmToken;
  };
  for (const changed of [
    { query: 'DELETE FROM users' },
    { params: [2] },
    { database: 'other' },
    { query: 'UPDATE users SET name = 1', params: undefined },
  ]) {
    const args = JSON.parse(
      JSON.stringify({ ...call, confirmToken: await tokenFor(), ...changed }),
    ) as JsonObject;
    expect(await client.callTool('write_query', args)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('not valid for these arguments') as string }],
    });
  }
  const confirmToken = await tokenFor();
  const writer = new Database(path);
  writer.exec("INSERT INTO users VALUES (4, 'new')");
  writer.close();
  expect(await client.callTool('write_query', { ...call, confirmToken })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('what it affects has changed') as string }],
  });
  expect(stateOf(path)[1]).toHaveLength(4);
  expect(stateOf(other)[1]).toHaveLength(3);
});

test.each(['legacy', 'modern'] as const)(
  'a %s client that confirms three rows does not delete a fourth',
  async (era) => {
    const client = await connect({
      era,
      elicit: () => {
        const writer = new Database(path);
        writer.exec("INSERT INTO users VALUES (4, 'new')");
        writer.close();
        return 'accept';
      },
    });
    expect(await client.callTool('write_query', { query: 'DELETE FROM users' })).toMatchObject({
      isError: true,
      content: [
        {
          text: 'users has 4 rows, more than the 3 that were confirmed; nothing was applied. Call again.',
        },
      ],
    });
    expect(stateOf(path)[1]).toHaveLength(4);
  },
);
