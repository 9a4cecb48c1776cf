import { sql, type Kysely } from 'kysely';
import { LEASE_MS, type WorkerReader, type WorkerWriter } from '../ports/store/worker.ts';
import type { Clock } from '../ports/clock.ts';
import { SETTLED_STATUSES } from '../ports/store/run.ts';
import type { Rows } from './rows.ts';
import type { Database } from './database.ts';
import { ERASED } from './erased-runs.ts';
import { ACTIVE } from './read-queries.ts';
import { fromIndex } from './from-index.ts';
import { isPlannedOrSent } from './sweep-queries.ts';

type Db = Kysely<Database>;

const selectWorkers = (db: Db) =>
  db
    .selectFrom('workers')
    .selectAll()
    .where('endedAt', 'is', null)
    .orderBy('startedAt')
    .orderBy('id');

const selectEndedWorkers = (db: Db) =>
  db.selectFrom('workers').select('id').where('endedAt', 'is not', null);

const selectHeartbeat = (db: Db, { id }: { readonly id: string }) =>
  db.selectFrom('workers').select('heartbeatAt').where('id', '=', id).where('endedAt', 'is', null);

const updateHeartbeat = (
  db: Db,
  { id, heartbeatAt }: { readonly id: string; readonly heartbeatAt: number },
) =>
  db.updateTable('workers').set({ heartbeatAt }).where('id', '=', id).where('endedAt', 'is', null);

/**
 * Runs of turns, calls and inbox items whose owner has ended. An owner without a row has ended too: on
 * PostgreSQL the row of a worker can be removed before the last transaction of the worker commits.
 */
function ownedByEnded(db: Db, dialect: Rows['dialect']) {
  const live = db.selectFrom('workers').select('id').where('endedAt', 'is', null);
  return db
    .selectFrom('turns')
    .select(['runId', 'owner', NO_CALL])
    .where('status', '=', ACTIVE)
    .where('owner', 'not in', live)
    .union(
      db
        .selectFrom('toolCalls')
        .select(['runId', 'owner', sql.lit(1).as('isCall')])
        .where(isSent)
        .where('owner', '>', NO_OWNER)
        .where('owner', 'not in', live)
        .$narrowType<{ owner: string }>(),
    )
    .union(
      db
        .selectFrom(fromIndex(dialect, 'inboxItems', 'held_inbox_items'))
        .select(['runId', 'owner', NO_CALL])
        // Literals, so that SQLite uses the index of these states.
        .where(sql<boolean>`owner is not null and state in ('open', 'answered')`)
        .where('owner', 'not in', live)
        .$narrowType<{ owner: string }>(),
    );
}

const isSent = sql<boolean>`${isPlannedOrSent} and ${sql.ref('toolCalls.state')} <> 'planned'`;

/** Less than every owner. SQLite reads only a part of an index for this comparison, and not for that with null. */
const NO_OWNER = sql.lit('');

const NO_CALL = sql.lit(0).as('isCall');

/**
 * Turns, calls and inbox items of ended workers. Of a settled run, only its sent calls are left.
 */
const selectOrphans = (db: Db, dialect: Rows['dialect']) =>
  db
    .selectFrom(ownedByEnded(db, dialect).as('owned'))
    .innerJoin('runs', 'runs.id', 'owned.runId')
    .where('runs.status', '!=', ERASED)
    .where((row) =>
      row.or([row('owned.isCall', '=', 1), row('runs.status', 'not in', SETTLED_STATUSES)]),
    );

const orphanedRunsIn =
  (dialect: Rows['dialect']) =>
  (db: Db, { limit }: { readonly limit: number }) =>
    selectOrphans(db, dialect).select('owned.runId as id').distinct().limit(limit);

export const selectOrphanedRuns = {
  sqlite: orphanedRunsIn('sqlite'),
  postgres: orphanedRunsIn('postgres'),
};

const selectOwnedTurns = (db: Db, { owner }: { readonly owner: string }) =>
  db
    .selectFrom('turns')
    .innerJoin('runs', 'runs.id', 'turns.runId')
    .select('turns.runId')
    .where('turns.status', '=', ACTIVE)
    .where('turns.owner', '=', owner)
    .where('runs.status', '!=', ERASED)
    .where('runs.status', 'not in', SETTLED_STATUSES);

const selectOwnedCalls = (db: Db, { owner }: { readonly owner: string }) =>
  db
    .selectFrom('toolCalls')
    .innerJoin('runs', 'runs.id', 'toolCalls.runId')
    .select(['toolCalls.runId', 'toolCalls.id as callId'])
    .where(isSent)
    .where('toolCalls.owner', '=', owner)
    .where('runs.status', '!=', ERASED);

/** Creates the reads of workers, with times from `clock`. */
export function createWorkerReader(connection: Rows, clock: Clock): WorkerReader {
  const heartbeatOf = async (id: string): Promise<number | undefined> =>
    (await connection.first(selectHeartbeat, { id }))?.heartbeatAt;
  return {
    async workers() {
      const rows = await connection.rows(selectWorkers, {});
      return rows.map((row) => ({ ...row, endedAt: row.endedAt ?? undefined }));
    },

    async endedWorkers() {
      return (await connection.rows(selectEndedWorkers, {})).map(({ id }) => id);
    },

    async isAlive(id) {
      const heartbeatAt = await heartbeatOf(id);
      return heartbeatAt !== undefined && heartbeatAt + LEASE_MS > clock.now();
    },

    async hasLease(id) {
      return (await heartbeatOf(id)) !== undefined;
    },

    async orphanedRuns({ limit }) {
      const select = selectOrphanedRuns[connection.dialect];
      return (await connection.rows(select, { limit })).map(({ id }) => id);
    },

    async ownedWork(owner) {
      const [turns, calls] = await Promise.all([
        connection.rows(selectOwnedTurns, { owner }),
        connection.rows(selectOwnedCalls, { owner }),
      ]);
      return [...turns.map(({ runId }) => ({ runId, callId: undefined })), ...calls];
    },
  };
}

/** Creates the writes of workers, with times from `clock`. */
export function createWorkerWriter(connection: Rows, clock: Clock): WorkerWriter {
  const db = connection.kysely;
  return {
    async addWorker(worker) {
      const now = clock.now();
      await db
        .insertInto('workers')
        .values({ ...worker, startedAt: now, heartbeatAt: now, endedAt: null })
        .execute();
    },

    async beat(id) {
      return (await connection.run(updateHeartbeat, { id, heartbeatAt: clock.now() })) > 0;
    },

    async endExpiredWorkers({ except }) {
      const now = clock.now();
      await db
        .updateTable('workers')
        .set({ heartbeatAt: now })
        .where('endedAt', 'is', null)
        .where('heartbeatAt', '>', now)
        .execute();
      const ended = await db
        .updateTable('workers')
        .set({ endedAt: now })
        .where('endedAt', 'is', null)
        .where('heartbeatAt', '<=', now - LEASE_MS)
        .where('id', '!=', except)
        .returning('id')
        .execute();
      return ended.map(({ id }) => id);
    },

    async endWorker(id) {
      await db
        .updateTable('workers')
        .set({ endedAt: clock.now() })
        .where('id', '=', id)
        .where('endedAt', 'is', null)
        .execute();
    },

    async removeEndedWorkers() {
      await db
        .deleteFrom('workers')
        .where('endedAt', 'is not', null)
        .where('id', 'not in', selectOrphans(db, connection.dialect).select('owned.owner'))
        .execute();
    },
  };
}
