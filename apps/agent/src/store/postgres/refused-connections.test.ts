import { describe, expect, onTestFinished, test } from 'vitest';
import { queuedRun } from '../../ports/testing/queued-run.ts';
import { StoreError } from '../store-error.ts';
import type { OpenedStore } from '../opened-store.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import { execute, hasPostgres, postgresForTests } from './testing/postgres.ts';

const clock = { now: () => 1234, after: () => () => undefined };

describe.skipIf(!hasPostgres)('a PostgreSQL that refuses', () => {
  const postgres = postgresForTests();

  /** Creates a database, and a user with ordinary rights. Returns the addresses of the database for both. */
  async function databaseOfUser(
    user: string,
  ): Promise<{ readonly admin: string; readonly url: string; readonly name: string }> {
    const admin = await postgres.newDatabase();
    await execute(admin, `create role ${user} login`);
    const address = new URL(admin);
    address.username = user;
    return { admin, url: address.href, name: address.pathname.slice(1) };
  }

  async function refusal(url: string): Promise<string> {
    const error: unknown = await openPostgresStore({ url, clock }).then(
      (store) => store.close(),
      (reason: unknown) => reason,
    );
    return error instanceof StoreError ? error.message : 'not refused';
  }

  test('the creation of tables says why at the start', async () => {
    const { url } = await databaseOfUser('without_create');
    expect(await refusal(url)).toMatch(
      /could not be brought up to date \(permission denied for schema public\)\.$/,
    );
  });

  test('writes says so at the start', async () => {
    const { admin, url, name } = await databaseOfUser('reader');
    await execute(
      admin,
      `grant create on schema public to reader; alter database ${name} set default_transaction_read_only = on`,
    );
    expect(await refusal(url)).toMatch(
      /could not be brought up to date \(cannot execute .* in a read-only transaction\)\.$/,
    );
  });

  test.each([
    [
      'an unknown user',
      (url: URL) => (url.username = 'unknown_user'),
      '28000: the server refuses the user',
    ],
    [
      'an unknown database',
      (url: URL) => (url.pathname = '/missing'),
      '3D000: the server has no such database',
    ],
  ])('%s says so at the start, without the name of the user', async (_, change, reason) => {
    const url = new URL(await postgres.newDatabase());
    change(url);
    const text = await refusal(url.href);
    expect(text).toContain(`cannot be opened (${reason}).`);
    expect(text).not.toContain('unknown_user');
  });

  test.each(['LATIN1', 'SQL_ASCII'])(
    'no texts, but has the encoding %s, is refused',
    async (encoding) => {
      const name = `encoded_${encoding.toLowerCase()}`;
      const { url } = postgres.engine();
      await execute(
        url,
        `create database ${name} encoding '${encoding}' template template0 locale 'C'`,
      );
      expect(await refusal(url.replace(/[^/]+$/, name))).toMatch(
        new RegExp(`/${name} has the encoding ${encoding}\\. Create one with the encoding UTF8`),
      );
    },
  );

  /** Opens a store as an ordinary user, and cuts its connections after a statement of the administrator. */
  async function openedAs(
    user: string,
    onRefused?: (message: string) => void,
  ): Promise<{
    readonly store: OpenedStore;
    readonly change: (statement: string) => Promise<void>;
  }> {
    const { admin, url } = await databaseOfUser(user);
    await execute(admin, `grant create on schema public to ${user}`);
    const store = await openPostgresStore({ url, clock, connections: 4, role: 'api', onRefused });
    onTestFinished(() => store.close());
    const change = (statement: string): Promise<void> =>
      execute(
        admin,
        `${statement}; select pg_terminate_backend(pid) from pg_stat_activity where usename = '${user}'`,
      );
    return { store, change };
  }

  const insertRun = (store: OpenedStore, id: string): Promise<void> =>
    store.write({}, (sql) => sql.insertRun(queuedRun(id)));

  test('a statement is a StorageError that says what to do, and is reported once', async () => {
    const refused: string[] = [];
    const { store, change } = await openedAs('restricted', (message) => refused.push(message));
    await change('revoke insert on runs from restricted');
    const reason =
      /^the database .* refuses a statement \(42501: permission denied for table runs\); grant the user of DATABASE_URL all rights on the tables/;
    for (let request = 0; request < 3; request += 1) {
      const inserted = insertRun(store, 'r');
      await expect(inserted).rejects.toMatchObject({ name: 'StorageError', reason: 'broken' });
      await expect(inserted).rejects.toThrow(reason);
    }
    expect(refused).toEqual([expect.stringMatching(reason)]);
    await change('revoke select on runs from restricted');
    await expect(store.read.run('r')).rejects.toMatchObject({ reason: 'broken' });
    await expect(store.probe()).resolves.toBeUndefined();
  });

  test('the login of a running service for a moment delays its writes', async () => {
    const { store, change } = await openedAs('renewed');
    await change('alter role renewed nologin');
    const writing = insertRun(store, 'delayed');
    writing.catch(() => undefined);
    await change('alter role renewed login');
    await writing;
    expect((await store.read.run('delayed'))?.status).toBe('queued');
  });

  test('further connections lets writes wait for those of the pool', async () => {
    const { store, change } = await openedAs('limited');
    await change('alter role limited connection limit 3');
    const ids = Array.from({ length: 12 }, (_, index) => `run-${String(index)}`);
    await Promise.all(ids.map((id) => insertRun(store, id)));
    expect((await store.read.runs({ limit: 20 })).data).toHaveLength(ids.length);
  });
});
