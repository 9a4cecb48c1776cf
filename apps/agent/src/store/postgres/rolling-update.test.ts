import { sql, type Kysely } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { queuedRun } from '../../ports/testing/queued-run.ts';
import type { Migrations } from '../migrations/migrations.ts';
import type { OpenedStore } from '../opened-store.ts';
import { StoreError } from '../store-error.ts';
import { openPostgresStore, type PostgresStoreOptions } from './open-postgres-store.ts';
import { createClient } from './postgres-client.ts';
import { hasPostgres, postgresForTests } from './testing/postgres.ts';

const clock = { now: () => 1234, after: () => () => undefined };

const migrations = (...names: readonly string[]): Migrations =>
  Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        async up(db: Kysely<unknown>) {
          await sql`alter table runs add column ${sql.ref(`later_${index}`)} text`.execute(db);
          await sql`create table ${sql.table(`later_${index}`)} (id text primary key)`.execute(db);
        },
      },
    ]),
  );

const ADDITIVE = migrations('0901-later.additive');

describe.skipIf(!hasPostgres)('a database of which a later version is started', () => {
  const postgres = postgresForTests();

  async function openOld(): Promise<{
    readonly old: OpenedStore;
    readonly open: (options?: Partial<PostgresStoreOptions>) => Promise<OpenedStore>;
    readonly close: (store: OpenedStore) => Promise<void>;
    readonly url: string;
  }> {
    const url = await postgres.newDatabase();
    const opened = new Set<OpenedStore>();
    onTestFinished(async () => {
      for (const store of opened) await store.close();
    });
    const close = async (store: OpenedStore): Promise<void> => {
      opened.delete(store);
      await store.close();
    };
    const open = async (options: Partial<PostgresStoreOptions> = {}): Promise<OpenedStore> => {
      const store = await openPostgresStore({ url, clock, role: 'worker', ...options });
      opened.add(store);
      return store;
    };
    return { old: await open(), open, close, url };
  }

  /** Writes and reads whole rows on several connections at once. */
  const use = (store: OpenedStore, prefix: string): Promise<unknown> =>
    Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const id = `${prefix}${index}`;
        await store.write({}, (change) => change.insertRun(queuedRun(id)));
        const inTransaction = await store.write({ run: id }, async (change) => {
          await change.updateRun(id, { turns: 3 });
          return change.run(id);
        });
        expect(inTransaction).toMatchObject({ id, turns: 3 });
        expect(await store.read.run(id)).toMatchObject({ id, turns: 3 });
      }),
    );

  async function refusal(opening: Promise<OpenedStore>): Promise<string> {
    const error: unknown = await opening.catch((reason: unknown) => reason);
    return error instanceof StoreError ? `${error.code}: ${error.message}` : 'not refused';
  }

  test('is migrated while processes of this version use it, when the migration is additive', async () => {
    const { old, open } = await openOld();
    await use(old, 'before');
    const later = await open({ furtherMigrations: ADDITIVE });
    await Promise.all([use(old, 'old'), use(later, 'later')]);
    expect(await later.read.run('before1')).toMatchObject({ turns: 3 });
    const restarted = await open();
    await use(restarted, 'restarted');
  });

  test('control: a statement that a connection has prepared fails after a column was added', async () => {
    const { open, url } = await openOld();
    const client = createClient({ url });
    await client.connect();
    onTestFinished(() => client.end());
    const prepared = { name: 'all', text: 'select * from runs' };
    await client.query(prepared);
    await open({ furtherMigrations: ADDITIVE });
    await expect(client.query(prepared)).rejects.toThrow('cached plan');
  });

  test('is not migrated while other processes use it, when a migration is not additive', async () => {
    const { old, open, close } = await openOld();
    const furtherMigrations = migrations('0901-later.additive', '0902-later');
    expect(await refusal(open({ furtherMigrations }))).toMatch(
      /^locked: The database postgres:.* must be brought up to date while no other process uses it \(migration 0902-later\)\. Stop the processes of the earlier version first\.$/,
    );
    await use(old, 'r');
    await close(old);
    await close(await open({ furtherMigrations }));
    expect(await refusal(open())).toMatch(/^newer_database: .*it has migration 0902-later\)/);
  });

  test('is migrated when a long transaction of another process ends, and others can write meanwhile', async () => {
    const { old, open, url } = await openOld();
    await use(old, 'r');
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const long = old.write({ run: 'r1' }, async () => {
      begun.resolve();
      await gate.promise;
    });
    await begun.promise;
    let isOpen = false;
    const opening = open({ furtherMigrations: ADDITIVE }).then(() => (isOpen = true));
    const client = createClient({ url });
    await client.connect();
    onTestFinished(() => client.end());
    await vi.waitFor(async () => {
      const { rows } = await client.query(
        "select 1 from pg_locks where mode = 'AccessExclusiveLock' and not granted",
      );
      expect(rows).toHaveLength(1);
    }, 5000);
    await use(old, 'meanwhile');
    expect(isOpen).toBe(false);
    gate.resolve();
    await Promise.all([long, opening]);
    await use(old, 'after');
  });
});
