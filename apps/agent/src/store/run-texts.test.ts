import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { queuedRun } from '../ports/testing/queued-run.ts';
import type { Store } from '../ports/store.ts';
import { runTextStep } from '../run/recovery/run-text-step.ts';
import { openStore } from './open-store.ts';
import { openPostgresStore } from './postgres/open-postgres-store.ts';
import { createClient } from './postgres/postgres-client.ts';
import { hasPostgres, postgresForTests } from './postgres/testing/postgres.ts';
import { databaseFolder } from './testing/migrated-database.ts';

const clock = { now: () => 1234, after: () => () => undefined };

interface Opened {
  readonly store: Store;
  /** Executes a statement as a process of an earlier version. Returns the rows of a query. */
  readonly execute: (text: string) => Promise<readonly unknown[]>;
  /** Beginning of a statement that returns the plan of a query. */
  readonly explain: string;
}

async function onSqlite(): Promise<Opened> {
  const dataDir = databaseFolder();
  const store = await openStore({ dataDir, durability: 'process', clock });
  const database = new Sqlite(join(dataDir, 'signalbox.sqlite'));
  onTestFinished(async () => {
    database.close();
    await store.close();
  });
  return {
    store,
    explain: 'explain query plan',
    execute: async (text) => {
      const statement = database.prepare(text);
      if (statement.reader) return statement.all();
      statement.run();
      return [];
    },
  };
}

const postgres = hasPostgres ? postgresForTests() : undefined;

async function onPostgres(): Promise<Opened> {
  const url = (await postgres?.newDatabase()) ?? '';
  const store = await openPostgresStore({ url, clock, role: 'worker' });
  const client = createClient({ url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await store.close();
  });
  return {
    store,
    explain: 'explain',
    execute: async (text) => (await client.query<object>(text)).rows,
  };
}

describe.each([
  ['SQLite', onSqlite, true],
  ['PostgreSQL', onPostgres, hasPostgres],
] as const)('search texts in %s', (_, open, isPresent) => {
  const found = async (store: Store, word: string): Promise<readonly string[]> =>
    (await store.read.runs({ limit: 999, words: [word] })).data.map(({ id }) => id);
  const sweep = (store: Store): Promise<number | undefined> =>
    runTextStep(store).run({ now: 1000, until: 3000 });

  test.runIf(isPresent)('of runs that an earlier version stored are added in batches', async () => {
    const { store, execute } = await open();
    await store.write({}, async (sql) => {
      for (let index = 0; index < 150; index += 1)
        await sql.insertRun(queuedRun(`r${index}`, { prompt: 'Count ORDERS', createdAt: index }));
    });
    await execute('delete from run_texts');
    await execute('update runs set text_covers_end = -1');
    expect(await found(store, 'orders')).toEqual([]);
    expect(await store.read.lacksTexts()).toBe(true);
    expect(await sweep(store)).toBe(1050);
    expect(await found(store, 'orders')).toHaveLength(100);
    // The newest runs first.
    expect(await found(store, 'r149')).toEqual(['r149']);
    expect(await found(store, 'r49')).toEqual([]);
    expect(await sweep(store)).toBeUndefined();
    expect(await found(store, 'orders')).toHaveLength(150);
    expect(await store.read.lacksTexts()).toBe(false);
  });

  test.runIf(isPresent)('follow the changes of processes of an earlier version', async () => {
    const { store, execute } = await open();
    await store.write({}, async (sql) => {
      for (const id of ['begun', 'ended', 'resumed']) await sql.insertRun(queuedRun(id));
    });
    await store.write({}, (sql) =>
      sql.updateRun('resumed', { answer: 'first answer', finishedAt: 5 }),
    );
    // A run that an earlier version accepted ends in this version.
    await execute("delete from run_texts where run_id = 'begun'");
    await execute("update runs set text_covers_end = -1 where id = 'begun'");
    await store.write({}, (sql) => sql.updateRun('begun', { answer: 'the answer', finishedAt: 5 }));
    await execute("update runs set answer = 'late answer', finished_at = 7 where id = 'ended'");
    await execute("update runs set answer = null, finished_at = null where id = 'resumed'");
    expect(await sweep(store)).toBeUndefined();
    expect(await found(store, 'answer')).toEqual(['ended', 'begun']);
    expect(await found(store, 'resumed')).toEqual(['resumed']);
    expect(await store.read.lacksTexts()).toBe(false);
  });

  test.runIf(isPresent)('are deleted when a run is erased', async () => {
    const { store, execute } = await open();
    await store.write({}, (sql) => sql.insertRun(queuedRun('r1', { prompt: 'a secret' })));
    expect(await execute('select request from run_texts')).toEqual([{ request: 'r1\n\na secret' }]);
    await store.write({}, (sql) => sql.eraseRun('r1'));
    expect(await execute('select request from run_texts')).toEqual([]);
    // Control: the rows of the run itself remain until `deleteErased`.
    expect(await execute('select id from runs')).toEqual([{ id: 'r1' }]);
    await execute('update runs set text_covers_end = -1');
    expect(await sweep(store)).toBeUndefined();
    expect(await execute('select request from run_texts')).toEqual([]);
  });

  test.runIf(isPresent)('that are missing are found by an index', async () => {
    const { execute, explain } = await open();
    if (open === onPostgres) await execute('set enable_seqscan = off');
    const plan = await execute(
      `${explain} select id from runs where text_covers_end is distinct from finished_at and status != 'erased' limit 1`,
    );
    expect(JSON.stringify(plan)).toContain('runs_without_text');
  });
});
