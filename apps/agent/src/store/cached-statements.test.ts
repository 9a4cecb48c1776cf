import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { expect, test } from 'vitest';
import { cachedStatements } from './cached-statements.ts';

test('a transaction on a full disk fails with that reason, and the next transaction works', async () => {
  const database = new Sqlite(':memory:');
  database.pragma('max_page_count = 10');
  const kysely = new Kysely<{ things: { thing: unknown } }>({
    dialect: new SqliteDialect({ database: cachedStatements(database) }),
  });
  await kysely.schema.createTable('things').addColumn('thing', 'text').execute();
  const tooMuch = kysely.transaction().execute(async (transaction) => {
    await transaction.insertInto('things').values({ thing: 'first' }).execute();
    await transaction
      .insertInto('things')
      .values({ thing: sql`zeroblob(1000000)` })
      .execute();
  });
  await expect(tooMuch).rejects.toThrow('database or disk is full');
  await kysely
    .transaction()
    .execute((transaction) =>
      transaction.insertInto('things').values({ thing: 'second' }).execute(),
    );
  expect(await kysely.selectFrom('things').selectAll().execute()).toEqual([{ thing: 'second' }]);
  await kysely.destroy();
});

test('a transaction whose work throws is rolled back', async () => {
  const kysely = new Kysely<{ things: { thing: unknown } }>({
    dialect: new SqliteDialect({ database: cachedStatements(new Sqlite(':memory:')) }),
  });
  await kysely.schema.createTable('things').addColumn('thing', 'text').execute();
  const failing = kysely.transaction().execute(async (transaction) => {
    await transaction.insertInto('things').values({ thing: 'first' }).execute();
    throw new Error('no more');
  });
  await expect(failing).rejects.toThrow('no more');
  expect(await kysely.selectFrom('things').selectAll().execute()).toEqual([]);
  await kysely.destroy();
});
