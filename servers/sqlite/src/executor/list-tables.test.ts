import { describe, expect, test } from 'vitest';
import { openForReading, temporaryDatabase } from '../testing/temporary-database.ts';
import { listTables } from './list-tables.ts';

const SCHEMA = `CREATE TABLE users(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, upper_name TEXT AS (upper(name)));
  CREATE TABLE "we'ird ""tbl"(a);
  CREATE VIEW adults AS SELECT id FROM users;
  CREATE VIEW broken AS SELECT * FROM gone;
  CREATE VIRTUAL TABLE search USING fts5(body);`;

describe('listTables', () => {
  test('lists tables by name, without views, shadow tables and SQLite tables', () => {
    expect(
      listTables(openForReading(temporaryDatabase(SCHEMA)), { includeViews: false }, 1_000_000),
    ).toEqual({
      tables: [
        { name: 'search', type: 'virtual', columns: [{ name: 'body', type: '' }] },
        {
          name: 'users',
          type: 'table',
          columns: [
            { name: 'id', type: 'INTEGER' },
            { name: 'name', type: 'TEXT' },
            { name: 'upper_name', type: 'TEXT' },
          ],
          rowEstimate: 0,
        },
        {
          name: `we'ird "tbl`,
          type: 'table',
          columns: [{ name: 'a', type: '' }],
          rowEstimate: 0,
        },
      ],
      truncated: false,
    });
  });

  test('lists views when asked, a broken one with its error', () => {
    const { tables } = listTables(
      openForReading(temporaryDatabase(SCHEMA)),
      { includeViews: true },
      1_000_000,
    );
    expect(tables.filter((table) => table.type === 'view')).toEqual([
      { name: 'adults', type: 'view', columns: [{ name: 'id', type: 'INTEGER' }] },
      { name: 'broken', type: 'view', columns: [], error: 'no such table: main.gone' },
    ]);
  });

  test('lists nothing for an empty database', () => {
    expect(
      listTables(openForReading(temporaryDatabase()), { includeViews: true }, 1_000_000),
    ).toEqual({ tables: [], truncated: false });
  });

  test('reports when there are more tables than fit', () => {
    const sql = Array.from({ length: 200 }, (_, index) => `CREATE TABLE t${index}(a);`).join('');
    const list = listTables(
      openForReading(temporaryDatabase(sql)),
      { includeViews: false },
      10_000,
    );
    expect(list.truncated).toBe(true);
    expect(list.tables.length).toBeGreaterThan(10);
    expect(list.tables.length).toBeLessThan(100);
  });

  test('goes through any number of tables page by page', () => {
    const names = Array.from({ length: 200 }, (_, index) => `t${index}`);
    const database = openForReading(
      temporaryDatabase(names.map((name) => `CREATE TABLE ${name}(a);`).join('')),
    );
    const listed: string[] = [];
    let after: string | undefined;
    do {
      const page = listTables(
        database,
        { includeViews: false, ...(after === undefined ? {} : { after }) },
        10_000,
      );
      listed.push(...page.tables.map(({ name }) => name));
      after = page.nextCursor;
    } while (after !== undefined);
    expect(listed).toEqual(names.toSorted());
  });

  test('lists the names that match a pattern', () => {
    const database = openForReading(temporaryDatabase(SCHEMA));
    expect(
      listTables(database, { includeViews: true, pattern: '*s' }, 1_000_000).tables.map(
        ({ name }) => name,
      ),
    ).toEqual(['adults', 'users']);
  });
});
