import type { Kysely } from 'kysely';
import type { IdempotencyKey, IdempotencyWriter, UsedKey } from '../ports/store/idempotency.ts';
import type { Clock } from '../ports/clock.ts';
import type { Rows } from './rows.ts';
import { usedKeyCodec, type Database } from './database.ts';
import { createWorkerReader } from './worker-rows.ts';

/** Creates the writes of idempotency keys, with times from `clock`. */
export function createIdempotencyWriter(connection: Rows, clock: Clock): IdempotencyWriter {
  const workers = createWorkerReader(connection, clock);
  const isOwnerDead = async ({ owner }: UsedKey): Promise<boolean> =>
    !(await workers.hasLease(owner));
  return {
    async claimKey(request) {
      const { principal, key, requestSha256 } = request;
      await connection.lock(`key ${principal} ${key}`);
      const claimed = usedKeyCodec.encode({
        ...request,
        isDone: false,
        response: undefined,
        runId: undefined,
        createdAt: clock.now(),
      });
      for (;;) {
        const row = await connection.first(selectKey, { principal, key });
        const used = row && usedKeyCodec.decode(row);
        if (
          used !== undefined &&
          (used.isDone || used.requestSha256 !== requestSha256 || !(await isOwnerDead(used)))
        )
          return used;
        const taken =
          used === undefined
            ? await connection.run(insertKey, claimed)
            : await connection.run(takeKey, { principal, key, owner: used.owner, patch: claimed });
        if (taken > 0) return undefined;
        // The last transaction of the owner has stored the response, or released the key, meanwhile.
      }
    },

    async finishKey({ principal, key, owner }, done) {
      const patch = usedKeyCodec.encode({ ...done, isDone: true });
      return (await connection.run(updateKey, { principal, key, owner, patch })) > 0;
    },

    async releaseKey({ principal, key, owner }) {
      // On PostgreSQL the claim may still be about to commit, on a connection that was given up.
      await connection.lock(`key ${principal} ${key}`);
      await connection.run(deleteUnfinishedKey, { principal, key, owner });
    },

    async releaseKeysBefore(time) {
      await connection.run(deleteKeysBefore, { time });
    },
  };
}

type Db = Kysely<Database>;

interface Owned extends IdempotencyKey {
  readonly owner: string;
}

const selectKey = (db: Db, { principal, key }: IdempotencyKey) =>
  db
    .selectFrom('idempotencyKeys')
    .selectAll()
    .where('principal', '=', principal)
    .where('key', '=', key);

const insertKey = (db: Db, row: Database['idempotencyKeys']) =>
  db
    .insertInto('idempotencyKeys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['principal', 'key']).doNothing());

/** Takes over an unfinished key. On PostgreSQL it waits for a transaction of the owner, which may finish the key. */
const takeKey = (db: Db, values: Parameters<typeof updateKey>[1]) =>
  updateKey(db, values).where('isDone', '=', 0);

const updateKey = (
  db: Db,
  {
    principal,
    key,
    owner,
    patch,
  }: Owned & { readonly patch: Partial<Database['idempotencyKeys']> },
) =>
  db
    .updateTable('idempotencyKeys')
    .set(patch)
    .where('principal', '=', principal)
    .where('key', '=', key)
    .where('owner', '=', owner);

const deleteUnfinishedKey = (db: Db, { principal, key, owner }: Owned) =>
  db
    .deleteFrom('idempotencyKeys')
    .where('principal', '=', principal)
    .where('key', '=', key)
    .where('owner', '=', owner)
    .where('isDone', '=', 0);

const deleteKeysBefore = (db: Db, { time }: { readonly time: number }) =>
  db.deleteFrom('idempotencyKeys').where('createdAt', '<', time);
