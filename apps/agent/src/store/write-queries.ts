import { sql, type Insertable, type Kysely, type Updateable } from 'kysely';
import type { Database } from './database.ts';
import { ACTIVE } from './read-queries.ts';

type Db = Kysely<Database>;
type New<Table extends keyof Database> = Insertable<Database[Table]>;
type Patch<Table extends keyof Database> = Updateable<Database[Table]>;

export const selectLastPosition = (db: Db, { threadId }: { readonly threadId: string }) =>
  db
    .selectFrom('runs')
    .select((run) => run.fn.max('threadPosition').as('last'))
    .where('threadId', '=', threadId);

/** Reserves the next sequence numbers of a run and returns the last of them. */
export const takeSeqs = (
  db: Db,
  { runId, count }: { readonly runId: string; readonly count: number },
) =>
  db
    .updateTable('runs')
    .set((run) => ({ lastSeq: run('lastSeq', '+', count) }))
    .where('id', '=', runId)
    .returning('lastSeq');

export const insertEvents = (db: Db, { rows }: { readonly rows: readonly New<'events'>[] }) =>
  db.insertInto('events').values(rows);

/** Inserts a message after the messages of its run. */
export const insertMessage = (db: Db, row: Omit<New<'messages'>, 'position'>) =>
  db.insertInto('messages').values((message) => ({
    ...row,
    position: message
      .selectFrom('messages')
      .where('runId', '=', row.runId)
      .select((count) => count.fn.countAll<number>().as('position')),
  }));

export const insertToolCall = (db: Db, row: New<'toolCalls'>) =>
  db.insertInto('toolCalls').values(row);

export const updateToolCall = (
  db: Db,
  {
    id,
    state,
    attempt,
    owner,
    isUnowned,
    patch,
  }: {
    readonly id: string;
    readonly state: readonly Database['toolCalls']['state'][];
    readonly attempt: number | undefined;
    readonly owner: string | undefined;
    readonly isUnowned: boolean | undefined;
    readonly patch: Patch<'toolCalls'>;
  },
) => {
  let query = db
    .updateTable('toolCalls')
    .set(patch)
    .where('id', '=', id)
    .where('state', 'in', state);
  if (attempt !== undefined) query = query.where('attempt', '=', attempt);
  if (isUnowned !== undefined) query = query.where('owner', 'is', null);
  return owner === undefined ? query : query.where('owner', '=', owner);
};

export const insertInboxItem = (db: Db, row: New<'inboxItems'>) =>
  db.insertInto('inboxItems').values(row);

export const updateInboxItem = (
  db: Db,
  {
    id,
    expected,
    patch,
  }: {
    readonly id: string;
    readonly expected: Database['inboxItems']['state'];
    readonly patch: Patch<'inboxItems'>;
  },
) => db.updateTable('inboxItems').set(patch).where('id', '=', id).where('state', '=', expected);

export const insertApproval = (db: Db, row: New<'rememberedApprovals'>) =>
  db.insertInto('rememberedApprovals').values(row);

export const deleteApproval = (db: Db, { id }: { readonly id: string }) =>
  db.deleteFrom('rememberedApprovals').where('id', '=', id);

/** Value of the column for an audit entry without a run. */
export const NO_RUN = '';

export const insertAudit = (db: Db, { rows }: { readonly rows: readonly New<'audit'>[] }) =>
  db.insertInto('audit').values(rows);

/** Inserts audit entries under the next numbers: a sequence of PostgreSQL leaves a gap after a rollback. */
export const insertNumberedAudit = (db: Db, { rows }: { readonly rows: readonly New<'audit'>[] }) =>
  db.insertInto('audit').values((entry) =>
    rows.map((row, index) => ({
      ...row,
      seq: sql<number>`(${entry
        .selectFrom('audit')
        .select((last) =>
          sql<number>`coalesce(${last.fn.max('seq')}, 0)`.as('last'),
        )}) + ${sql.lit(index + 1)}`,
    })),
  );

/** Counts a sampling request and returns the new count. */
export const countSampling = (
  db: Db,
  { runId, server }: { readonly runId: string; readonly server: string },
) =>
  db
    .insertInto('samplingCounts')
    .values({ runId, server, requests: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['runId', 'server'])
        .doUpdateSet((set) => ({ requests: set('samplingCounts.requests', '+', 1) })),
    )
    .returning('requests');

export const deletePartial = (db: Db, { runId }: { readonly runId: string }) =>
  db.deleteFrom('partials').where('runId', '=', runId);

export const upsertPartial = (db: Db, { runId, messageId, text }: New<'partials'>) =>
  db
    .insertInto('partials')
    .values({ runId, messageId, text })
    .onConflict((conflict) => conflict.column('runId').doUpdateSet({ messageId, text }));

/** Inserts a turn unless its run has an active turn. */
export const insertTurn = (db: Db, row: New<'turns'>) =>
  db
    .insertInto('turns')
    .values(row)
    .onConflict((conflict) => conflict.doNothing());

/** Ends a turn that is still active. */
export const endTurn = (
  db: Db,
  {
    messageId,
    status,
    endedAt,
  }: { readonly messageId: string; readonly status: string; readonly endedAt: number },
) =>
  db
    .updateTable('turns')
    .set({ status, endedAt })
    .where('messageId', '=', messageId)
    .where('status', '=', ACTIVE);
