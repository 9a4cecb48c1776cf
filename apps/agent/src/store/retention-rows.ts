import {
  sql,
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';
import type {
  RetentionCutoffs,
  RetentionReader,
  RetentionWriter,
} from '../ports/store/retention.ts';
import { SETTLED_STATUSES } from '../ports/store/run.ts';
import { ARTIFACTS_LOCK } from './artifact-rows.ts';
import type { Rows } from './rows.ts';
import type { Database } from './database.ts';
import { deleteUnusedTools } from './epoch-rows.ts';
import { ERASED } from './erased-runs.ts';

/** Creates the reads of runs that are due for deletion. */
export function createRetentionReader({ kysely: db }: Rows): RetentionReader {
  return {
    async dueRuns({ status, endedBy, after, limit }) {
      let query = db
        .selectFrom('runs')
        .select(['id', 'threadId', 'createdAt'])
        .where('status', '=', status)
        // The index is by creation, and a run ends after it was created.
        .where('createdAt', '<=', endedBy)
        .where('finishedAt', '<=', endedBy)
        .where((run) =>
          run.not(
            run.exists(
              run
                .selectFrom('runs as later')
                .select('later.id')
                .whereRef('later.threadId', '=', 'runs.threadId')
                .whereRef('later.threadPosition', '>', 'runs.threadPosition'),
            ),
          ),
        )
        .orderBy('createdAt')
        .orderBy('id')
        .limit(limit);
      if (after !== undefined)
        query = query.where((where) =>
          where(where.refTuple('createdAt', 'id'), '>', where.tuple(after.createdAt, after.id)),
        );
      const rows = await query.execute();
      return rows.map(({ threadId, ...row }) => ({ ...row, threadId: threadId ?? undefined }));
    },
  };
}

/** Creates the deletion of runs in several transactions. */
export function createRetentionWriter(connection: Rows): RetentionWriter {
  const db = connection.kysely;
  return {
    eraseRun: (id) => hideRuns(db, db.selectFrom('runs').select('id').where('id', '=', id)),

    async eraseDueRuns({ id, threadId }, cutoffs) {
      const runs = db
        .selectFrom('runs')
        .select('id')
        .where((run) =>
          threadId === undefined ? run('id', '=', id) : run('threadId', '=', threadId),
        );
      const kept = await runs
        .where((run) => run.not(isDue(run, cutoffs)))
        .limit(1)
        .executeTakeFirst();
      return kept === undefined ? hideRuns(db, runs) : 0;
    },

    async deleteErased() {
      let isRest = true;
      for (let budget = BUDGET; budget > 0 && isRest;) {
        const run = await db
          .selectFrom('runs')
          .select('id')
          .where('status', '=', ERASED)
          .limit(1)
          .executeTakeFirst();
        isRest = run !== undefined;
        if (run !== undefined) budget -= await deletePart(connection, run.id, budget);
      }
      await deleteUnusedTools(connection);
      return isRest;
    },
  };
}

/**
 * Hides runs from every read, and deletes their inbox items, remembered approvals, webhook deliveries,
 * search texts and stored responses. Returns the number of runs.
 */
export async function hideRuns(
  db: Kysely<Database>,
  runs: SelectQueryBuilder<Database, 'runs', { id: string }>,
): Promise<number> {
  await db.deleteFrom('inboxItems').where('runId', 'in', runs).execute();
  await db.deleteFrom('rememberedApprovals').where('runId', 'in', runs).execute();
  await db.deleteFrom('webhookDeliveries').where('runId', 'in', runs).execute();
  await db.deleteFrom('runTexts').where('runId', 'in', runs).execute();
  await db
    .updateTable('idempotencyKeys')
    .set({ response: null })
    .where('runId', 'in', runs)
    .execute();
  const { numUpdatedRows } = await db
    .updateTable('runs')
    .set({ status: ERASED, threadId: null, threadPosition: null })
    .where('id', 'in', runs)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Cost of one transaction, in deleted events. */
const BUDGET = 1000;

/** Cost of deleting one row, in deleted events. */
const COSTS = { artifact: 100, toolCall: 10, message: 10, event: 1, run: 20 };

/** Bytes of an artifact that cost as much as one event. */
const BYTES_PER_COST = 8192;

/** Deletes rows of an erased run, the run itself last. Returns the cost. */
async function deletePart(connection: Rows, runId: string, budget: number): Promise<number> {
  const { kysely: db, dialect } = connection;
  const row = ROW_ADDRESSES[dialect];
  let cost = await deleteArtifacts(connection, runId, budget);
  for (const [table, each, order] of [
    ['toolCalls', COSTS.toolCall, 'turn'],
    ['messages', COSTS.message, 'position'],
    ['events', COSTS.event, 'seq'],
  ] as const) {
    if (cost >= budget) return cost;
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where(row, 'in', (rows: ExpressionBuilder<Database, typeof table>) =>
        rows
          .selectFrom(table)
          .select(row.as('row'))
          .where('runId', '=', runId)
          .orderBy(sql.ref(order), 'desc')
          .limit(Math.ceil((budget - cost) / each)),
      )
      .executeTakeFirst();
    cost += Number(numDeletedRows) * each;
  }
  if (cost >= budget) return cost;
  await db.deleteFrom('runs').where('id', '=', runId).execute();
  return cost + COSTS.run;
}

/**
 * Deletes the artifacts that only this run owns, and its ownership of shared artifacts. Returns the
 * cost, which is less than the budget only when no artifact remains.
 */
async function deleteArtifacts(connection: Rows, runId: string, budget: number): Promise<number> {
  const { kysely: db } = connection;
  let cost = 0;
  while (cost < budget) {
    const owned = await db
      .selectFrom('artifactOwners')
      .innerJoin('artifacts', 'artifacts.id', 'artifactOwners.artifactId')
      .select(['artifactId', 'bytes'])
      .where('artifactOwners.runId', '=', runId)
      .limit(1)
      .executeTakeFirst();
    if (owned === undefined) break;
    const { artifactId, bytes } = owned;
    await connection.lock(ARTIFACTS_LOCK);
    await db
      .deleteFrom('artifactOwners')
      .where('runId', '=', runId)
      .where('artifactId', '=', artifactId)
      .execute();
    await db
      .deleteFrom('artifacts')
      .where('id', '=', artifactId)
      .where((artifact) =>
        artifact.not(
          artifact.exists(
            artifact
              .selectFrom('artifactOwners')
              .select('artifactOwners.runId')
              .where('artifactOwners.artifactId', '=', artifactId),
          ),
        ),
      )
      .execute();
    cost += COSTS.artifact + bytes / BYTES_PER_COST;
  }
  return cost;
}

/** Columns that every table has, and that find a row without an index. */
const ROW_ADDRESSES = { sqlite: sql<number>`rowid`, postgres: sql<number>`ctid` } as const;

function isDue(
  run: ExpressionBuilder<Database, 'runs'>,
  cutoffs: RetentionCutoffs,
): Expression<SqlBool> {
  return run.or(
    SETTLED_STATUSES.flatMap((status) => {
      const endedBy = cutoffs[status];
      return endedBy === undefined
        ? []
        : [
            run.and([
              run('status', '=', status),
              run('finishedAt', 'is not', null),
              run('finishedAt', '<=', endedBy),
            ]),
          ];
    }),
  );
}
