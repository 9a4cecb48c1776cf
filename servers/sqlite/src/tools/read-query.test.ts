import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { shareServer } from '../testing/connect.ts';
import { replaceDatabase, sharedDatabase } from '../testing/temporary-database.ts';

interface Page {
  readonly rows: readonly (readonly unknown[])[];
  readonly truncated: boolean;
  readonly nextCursor?: string;
  readonly databaseChanged?: boolean;
}

const path = sharedDatabase();
const other = sharedDatabase('CREATE TABLE t(a)');
const connect = shareServer(path, { databases: { other } });
const TEN = `CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)`;
const query = 'SELECT a FROM t WHERE a > ? ORDER BY a';

async function read(args: { readonly [name: string]: unknown }): Promise<Page> {
  const client = await connect();
  const result = await client.callTool('read_query', { query, params: [0], limit: 4, ...args });
  if (result.isError === true) throw new Error((result.content[0] as { text: string }).text);
  return result.structuredContent as Page; // Validated by the client.
}

describe.each(['DELETE', 'WAL'])('a cursor, with journal mode %s', (mode) => {
  const begin = () => replaceDatabase(path, `PRAGMA journal_mode = ${mode}; ${TEN}`);

  test('continues after the last row until there are no more', async () => {
    begin();
    const rows: unknown[] = [];
    let page = await read({});
    rows.push(...page.rows.flat());
    while (page.nextCursor !== undefined) {
      page = await read({ cursor: page.nextCursor });
      rows.push(...page.rows.flat());
      expect(page.databaseChanged).toBeUndefined();
    }
    expect(rows).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(page).toMatchObject({ truncated: false });
  });

  test('reports on every later page that the database was written', async () => {
    begin();
    const first = await read({});
    const writer = new Database(path);
    writer.exec('DELETE FROM t WHERE a = 2');
    writer.close();
    const second = await read({ cursor: first.nextCursor });
    // The row 5 is not in any page, as the flag says.
    expect(second).toMatchObject({ rows: [[6], [7], [8], [9]], databaseChanged: true });
    const third = await read({ cursor: second.nextCursor });
    expect(third).toMatchObject({ rows: [[10]], databaseChanged: true });
    expect((await read({})).databaseChanged).toBeUndefined();
  });
});

test('a cursor is valid for its statement, parameters and database only', async () => {
  replaceDatabase(path, TEN);
  const { nextCursor: cursor = '' } = await read({});
  const changed = Buffer.from(cursor, 'base64url');
  changed.writeUInt8(changed.readUInt8(20) ^ 1, 20);
  for (const args of [
    { query: `${query} ` },
    { params: [1] },
    { database: 'other' },
    { cursor: changed.toString('base64url') },
    { cursor: '' },
    { cursor: 'x' },
  ])
    await expect(read({ cursor, ...args })).rejects.toThrow(
      'The cursor is not valid for this query, params and database.',
    );
  expect((await read({ cursor, limit: 1 })).rows).toEqual([[5]]);
});
