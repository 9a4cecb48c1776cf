import type { IdempotencyWriter } from '../ports/store/idempotency.ts';
import type { Clock } from '../ports/clock.ts';
import type { Connection } from './connection.ts';
import { usedKeyCodec } from './database.ts';

/** Creates the writes of idempotency keys, with times from `clock`. */
export function createIdempotencyWriter(
  { kysely: db }: Connection,
  clock: Clock,
): IdempotencyWriter {
  return {
    async claimKey(request) {
      const { principal, key, owner } = request;
      const row = await db
        .selectFrom('idempotencyKeys')
        .selectAll()
        .where('principal', '=', principal)
        .where('key', '=', key)
        .executeTakeFirst();
      const used = row && usedKeyCodec.decode(row);
      if (
        used !== undefined &&
        (used.isDone || used.owner === owner || used.requestSha256 !== request.requestSha256)
      )
        return used;
      const claimed = usedKeyCodec.encode({
        ...request,
        isDone: false,
        response: undefined,
        runId: undefined,
        createdAt: clock.now(),
      });
      await db
        .insertInto('idempotencyKeys')
        .values(claimed)
        .onConflict((conflict) => conflict.columns(['principal', 'key']).doUpdateSet(claimed))
        .execute();
      return undefined;
    },

    async finishKey({ principal, key }, done) {
      await db
        .updateTable('idempotencyKeys')
        .set(usedKeyCodec.encode({ ...done, isDone: true }))
        .where('principal', '=', principal)
        .where('key', '=', key)
        .execute();
    },

    async releaseKey({ principal, key }) {
      await db
        .deleteFrom('idempotencyKeys')
        .where('principal', '=', principal)
        .where('key', '=', key)
        .where('isDone', '=', 0)
        .execute();
    },

    async releaseKeysBefore(time) {
      await db.deleteFrom('idempotencyKeys').where('createdAt', '<', time).execute();
    },
  };
}
