import type { Kysely } from 'kysely';
import type { Clock } from '../ports/clock.ts';
import type { SealedSecret, SecretKind, SecretName, SecretStore } from '../ports/store/secrets.ts';
import type { Database } from './database.ts';
import type { Rows } from './rows.ts';

export interface SecretRowsOptions {
  readonly reader: Rows;
  /** Runs work in a transaction on the write connection. */
  readonly write: <T>(work: (writer: Rows) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
}

/** Creates the store of encrypted secrets. */
export function createSecretStore({ reader, write, clock }: SecretRowsOptions): SecretStore {
  return {
    async read(name) {
      const row = await reader.first(selectSecret, name);
      return row && decode(row);
    },

    async list(kind) {
      return (await reader.rows(selectKind, { kind })).map(decode);
    },

    write: (secret) =>
      write(async (writer) => void (await writer.run(upsertSecret, encode(secret)))),

    replace: (expected, secret) =>
      write(async (writer) => {
        const { kind, name, sealed, keyId, revision, expiresAt } = encode(secret);
        const values = { kind, name, sealed, keyId, revision, expiresAt, expected };
        return (await writer.run(updateSecret, values)) > 0;
      }),

    remove: ({ kind, name }, revision) =>
      write(async (writer) => {
        const removed =
          revision === undefined
            ? await writer.run(deleteSecret, { kind, name })
            : await writer.run(deleteRevision, { kind, name, revision });
        return removed > 0;
      }),

    async removeExpired() {
      const now = clock.now();
      // Most times there is nothing to remove, and a read does not wait for other writes.
      if ((await reader.first(selectExpired, { now })) === undefined) return;
      await write(async (writer) => void (await writer.run(deleteExpired, { now })));
    },

    lock: (name, holder, leaseMs) =>
      write(async (writer) => {
        const now = clock.now();
        const row = { name, holder, expiresAt: now + leaseMs };
        return (await writer.run(acquireLock, { ...row, now })) > 0;
      }),

    unlock: (name, holder) =>
      write(async (writer) => void (await writer.run(deleteLock, { name, holder }))),

    async unlockAll() {
      if ((await reader.first(selectLock, {})) === undefined) return;
      await write(async (writer) => void (await writer.run(deleteLocks, {})));
    },
  };
}

type Db = Kysely<Database>;
type Row = Database['secrets'];

const selectSecret = (db: Db, { kind, name }: SecretName) =>
  db.selectFrom('secrets').selectAll().where('kind', '=', kind).where('name', '=', name);

const selectKind = (db: Db, { kind }: { readonly kind: SecretKind }) =>
  db.selectFrom('secrets').selectAll().where('kind', '=', kind).orderBy('name');

const upsertSecret = (db: Db, row: Row) =>
  db
    .insertInto('secrets')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['kind', 'name']).doUpdateSet((values) => ({
        sealed: values.ref('excluded.sealed'),
        keyId: values.ref('excluded.keyId'),
        revision: values.ref('excluded.revision'),
        expiresAt: values.ref('excluded.expiresAt'),
      })),
    );

const updateSecret = (
  db: Db,
  { kind, name, expected, ...values }: Row & { readonly expected: string },
) =>
  db
    .updateTable('secrets')
    .set(values)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('revision', '=', expected);

const deleteSecret = (db: Db, { kind, name }: SecretName) =>
  db.deleteFrom('secrets').where('kind', '=', kind).where('name', '=', name);

const deleteRevision = (
  db: Db,
  { revision, ...name }: SecretName & { readonly revision: string },
) => deleteSecret(db, name).where('revision', '=', revision);

const selectExpired = (db: Db, { now }: { readonly now: number }) =>
  db.selectFrom('secrets').select('name').where('expiresAt', '<=', now);

const deleteExpired = (db: Db, { now }: { readonly now: number }) =>
  db.deleteFrom('secrets').where('expiresAt', '<=', now);

const acquireLock = (db: Db, { now, ...row }: Database['secretLocks'] & { readonly now: number }) =>
  db
    .insertInto('secretLocks')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((values) => ({
          holder: values.ref('excluded.holder'),
          expiresAt: values.ref('excluded.expiresAt'),
        }))
        .where((lock) =>
          lock.or([
            lock('secretLocks.expiresAt', '<=', now),
            lock('secretLocks.holder', '=', row.holder),
          ]),
        ),
    );

const deleteLock = (db: Db, { name, holder }: Pick<Database['secretLocks'], 'name' | 'holder'>) =>
  db.deleteFrom('secretLocks').where('name', '=', name).where('holder', '=', holder);

const selectLock = (db: Db) => db.selectFrom('secretLocks').select('name').limit(1);

const deleteLocks = (db: Db) => db.deleteFrom('secretLocks');

function encode({ kind, name, sealed, keyId, revision, expiresAt }: SealedSecret): Row {
  return { kind, name, sealed, keyId, revision, expiresAt: expiresAt ?? null };
}

function decode({ expiresAt, ...row }: Row): SealedSecret {
  return { ...row, expiresAt: expiresAt ?? undefined };
}
