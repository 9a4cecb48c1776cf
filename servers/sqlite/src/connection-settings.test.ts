import { writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { connect } from './testing/connect.ts';
import { openForReading, temporaryDatabase } from './testing/temporary-database.ts';

/** Returns the text of the error of a call, or its structured content. */
async function outcomeOf(path: string, tool: 'read_query' | 'write_query', query: string) {
  const client = await connect(path);
  const { isError, content, structuredContent } = await client.callTool(tool, { query });
  return isError === true ? (content[0] as { readonly text: string }).text : structuredContent;
}

describe('with trusted_schema off, a function that may be unsafe', () => {
  // The R*Tree module has it, and no guard of this server refuses it.
  const call = "rtreedepth(x'0001')";
  const path = () =>
    temporaryDatabase(
      `CREATE TABLE t(a); CREATE VIEW v AS SELECT ${call} AS depth;
       CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET a = ${call}; END`,
    );

  test('can be called by a statement, and not by a view or a trigger, in the query processes', async () => {
    const file = path();
    expect(await outcomeOf(file, 'read_query', `SELECT ${call}`)).toMatchObject({ rows: [[1]] });
    const refusal = 'SQLITE_ERROR: unsafe use of rtreedepth()';
    expect(await outcomeOf(file, 'read_query', 'SELECT * FROM v')).toBe(refusal);
    expect(await outcomeOf(file, 'write_query', 'INSERT INTO t VALUES (5)')).toBe(refusal);
    expect(openForReading(file).prepare('SELECT * FROM t').all()).toEqual([]);
  });

  test('can be called by both on a connection with trusted_schema on', () => {
    const database = new Database(path());
    database.exec('INSERT INTO t VALUES (5)');
    expect(database.prepare('SELECT depth FROM v JOIN t ON a = depth').pluck().all()).toEqual([1]);
    database.close();
  });
});

describe('with cell_size_check on, a page with a cell outside of it', () => {
  /** Returns a database whose only page of the table has three cells; the first begins outside. */
  function damagedDatabase(): string {
    const file = temporaryDatabase("CREATE TABLE t(a); INSERT INTO t VALUES ('a'), ('b'), ('c')");
    const database = new Database(file);
    const root = database
      .prepare<[], number>("SELECT rootpage FROM sqlite_schema WHERE name = 't'")
      .pluck()
      .get();
    const pageSize = Number(database.pragma('page_size', { simple: true }));
    const bytes = database.serialize();
    database.close();
    const firstCell = ((root ?? 0) - 1) * pageSize + 8;
    bytes.writeUInt16BE(pageSize - 1, firstCell);
    writeFileSync(file, bytes);
    return file;
  }

  test('is reported by statements that do not read the cell, in the query processes', async () => {
    const file = damagedDatabase();
    const refusal = expect.stringMatching(/^SQLITE_CORRUPT: .*malformed/) as string;
    expect(await outcomeOf(file, 'read_query', 'SELECT count(*) FROM t')).toEqual(refusal);
    expect(await outcomeOf(file, 'write_query', "INSERT INTO t VALUES ('d')")).toEqual(refusal);
  });

  test('is not noticed on a connection with cell_size_check off', () => {
    const database = new Database(damagedDatabase());
    database.exec("INSERT INTO t VALUES ('d')");
    expect(database.prepare('SELECT count(*) FROM t').pluck().get()).toBe(4);
    database.close();
  });
});
