import { describe, expect, test } from 'vitest';
import { openForReading, temporaryDatabase } from '../testing/temporary-database.ts';
import { resultBytes } from './compact-json.ts';
import { UnknownTableError, describeTable } from './describe-table.ts';
import type { TableDescription } from './protocol.ts';

const SCHEMA = `CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'x', age INT, next_age INT AS (age + 1));
  CREATE TABLE orders(user_id INT REFERENCES users ON DELETE CASCADE, number INT, a, b, PRIMARY KEY (number, user_id), FOREIGN KEY (a, b) REFERENCES pairs(x, y));
  CREATE UNIQUE INDEX orders_by_a ON orders(a, lower(b)) WHERE a > 0;
  CREATE TRIGGER watch AFTER INSERT ON orders BEGIN SELECT 1; END;
  CREATE VIEW names AS SELECT name FROM users;
  CREATE TABLE "we'ird ""tbl"(a);`;

const LIMITS = { maxCellBytes: 65_536, maxResultBytes: 1_048_576 };

function describeOne(name: string): TableDescription {
  return describeTable(openForReading(temporaryDatabase(SCHEMA)), name, LIMITS);
}

describe('describeTable', () => {
  test('describes columns with default, NOT NULL and generation', () => {
    expect(describeOne('users')).toMatchObject({
      name: 'users',
      type: 'table',
      columns: [
        { name: 'id', type: 'INTEGER', notNull: false, default: null, generated: false },
        { name: 'name', type: 'TEXT', notNull: true, default: "'x'", generated: false },
        { name: 'age', type: 'INT', notNull: false, default: null, generated: false },
        { name: 'next_age', type: 'INT', notNull: false, default: null, generated: true },
      ],
      primaryKey: ['id'],
    });
  });

  test('describes keys in their order, indexes and triggers', () => {
    const orders = describeOne('orders');
    expect(orders.primaryKey).toEqual(['number', 'user_id']);
    expect(orders.foreignKeys).toEqual([
      {
        columns: ['a', 'b'],
        table: 'pairs',
        references: ['x', 'y'],
        onUpdate: 'NO ACTION',
        onDelete: 'NO ACTION',
      },
      {
        columns: ['user_id'],
        table: 'users',
        references: [],
        onUpdate: 'NO ACTION',
        onDelete: 'CASCADE',
      },
    ]);
    expect(orders.indexes).toContainEqual({
      name: 'orders_by_a',
      unique: true,
      partial: true,
      columns: ['a', null],
    });
    expect(orders.triggers).toEqual([
      { name: 'watch', sql: 'CREATE TRIGGER watch AFTER INSERT ON orders BEGIN SELECT 1; END' },
    ]);
    expect(orders.sql).toMatch(/^CREATE TABLE orders/);
  });

  test('describes a view', () => {
    expect(describeOne('names')).toMatchObject({
      type: 'view',
      columns: [{ name: 'name' }],
      primaryKey: [],
      sql: 'CREATE VIEW names AS SELECT name FROM users',
    });
  });

  test('finds a name in any case and with any quotes in it', () => {
    expect(describeOne('USERS').name).toBe('users');
    expect(describeOne(`we'ird "tbl`).columns).toHaveLength(1);
  });

  test.each([["users'); DROP TABLE users; --"], ['users", "x'], ['users)'], [''], ['x\0y']])(
    'takes %j for a name, never for SQL',
    (name) => {
      expect(() => describeOne(name)).toThrow(UnknownTableError);
    },
  );

  test('cuts the SQL of many long triggers until the description fits', () => {
    const triggers = Array.from(
      { length: 30 },
      (_, index) =>
        `CREATE TRIGGER t${index} AFTER INSERT ON t BEGIN SELECT '${'x'.repeat(60_000)}'; END;`,
    );
    const description = describeTable(
      openForReading(temporaryDatabase(`CREATE TABLE t(a); ${triggers.join('')}`)),
      't',
      LIMITS,
    );
    expect(description.triggers).toHaveLength(30);
    expect(description.triggers[29]?.sql).toMatch(/^CREATE TRIGGER t9 AFTER/);
    expect(resultBytes(description)).toBeLessThan(LIMITS.maxResultBytes);
  });

  test('reports a description that cannot fit', () => {
    const columns = Array.from({ length: 500 }, (_, index) => `${'c'.repeat(100)}${index}`).join(
      ', ',
    );
    const database = openForReading(temporaryDatabase(`CREATE TABLE t(${columns})`));
    expect(() => describeTable(database, 't', { ...LIMITS, maxResultBytes: 16_384 })).toThrow(
      'The description of t passes the result limit',
    );
  });

  test('lists close names for an unknown one', () => {
    expect(() => describeOne('usres')).toThrow(
      'There is no table or view "usres". Existing: users',
    );
    expect(() => describeTable(openForReading(temporaryDatabase()), 'x', LIMITS)).toThrow(
      'There is no table or view "x": the database is empty.',
    );
  });
});
