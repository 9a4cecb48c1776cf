import { sql, type Kysely, type NotNull } from 'kysely';
import type { Retry, UnownedCall } from '../ports/store/sweep.ts';
import { OPEN_CALL_STATES } from '../ports/store/tool-call.ts';
import type { Database } from './database.ts';
import { fromIndex } from './from-index.ts';
import { ACTIVE } from './read-queries.ts';
import type { Rows } from './rows.ts';

type Db = Kysely<Database>;

export const selectRetries = (
  db: Db,
  {
    until,
    after,
    limit,
  }: { readonly until: number; readonly after: Retry | undefined; readonly limit: number },
) => {
  let query = db
    .selectFrom('runs')
    .select(['id as runId', 'retryAt'])
    .where('retryAt', '<=', until)
    .orderBy('retryAt')
    .orderBy('id')
    .limit(limit);
  if (after !== undefined)
    query = query.where((where) =>
      where(where.refTuple('retryAt', 'id'), '>', where.tuple(after.retryAt, after.runId)),
    );
  return query.$narrowType<{ retryAt: NotNull }>();
};

/** Runs whose wall clock needs attention, earliest first. */
export const selectRunDeadlines = (
  db: Db,
  { until, limit }: { readonly until: number; readonly limit: number },
) =>
  db
    .selectFrom('runs')
    .select(['id', 'id as runId', 'deadlineAt as at'])
    .where('deadlineAt', '<=', until)
    .orderBy('deadlineAt')
    .limit(limit)
    .$narrowType<{ at: NotNull }>();

/** Open inbox items that expire, earliest first. */
export const selectInboxDeadlines = {
  sqlite: inboxDeadlinesIn('sqlite'),
  postgres: inboxDeadlinesIn('postgres'),
};

function inboxDeadlinesIn(dialect: Rows['dialect']) {
  const items = fromIndex(dialect, 'inboxItems', 'open_inbox_by_expiry');
  return (db: Db, { until, limit }: { readonly until: number; readonly limit: number }) =>
    db
      .selectFrom(items)
      .select(['id', 'runId', 'expiresAt as at'])
      .where('state', '=', sql.lit('open'))
      .where('expiresAt', '<=', until)
      .orderBy('expiresAt')
      .limit(limit);
}

/** Running runs of which nothing is in progress and that wait for nothing. */
export const selectIdleRuns = (db: Db, { limit }: { readonly limit: number }) =>
  db
    .selectFrom('runs')
    .select('id')
    .where('status', '=', 'running')
    .where('retryAt', 'is', null)
    .where((run) =>
      run.not(
        run.or([
          run.exists(
            run
              .selectFrom('turns')
              .select('turn')
              .whereRef('turns.runId', '=', 'runs.id')
              .where('turns.status', '=', ACTIVE),
          ),
          run.exists(
            run
              .selectFrom('toolCalls')
              .select('toolCalls.id')
              .whereRef('toolCalls.runId', '=', 'runs.id')
              .where('toolCalls.finishedAt', 'is', null)
              .where('toolCalls.state', 'in', OPEN_CALL_STATES),
          ),
          run.exists(
            run
              .selectFrom('inboxItems')
              .select('inboxItems.id')
              .whereRef('inboxItems.runId', '=', 'runs.id')
              .where('inboxItems.state', '=', 'open'),
          ),
        ]),
      ),
    )
    .limit(limit);

/** Whether a call is planned or sent: the condition of the index `calls_by_owner`. */
export const isPlannedOrSent = sql<boolean>`${sql.ref('toolCalls.finishedAt')} is null
  and ${sql.ref('toolCalls.state')} <> 'awaiting_approval'`;

/** Time from which a call may be sent: an expression of the index `calls_by_owner`. */
const dueAt = sql<number>`coalesce(${sql.ref('toolCalls.dueAt')}, 0)`;

/** Calls that any worker may send or continue and that are due after `after`, in their order. */
export const selectUnownedCalls = (
  db: Db,
  { after, now, limit }: { readonly after: number; readonly now: number; readonly limit: number },
) =>
  unownedCalls(db, limit)
    .where(dueAt, '>', after)
    .where(dueAt, '<=', now)
    .orderBy(dueAt)
    .orderBy('toolCalls.id');

/** The unowned calls that are due at the same time as a call and follow it in their order. */
export const selectUnownedCallsBeside = (
  db: Db,
  { after, limit }: { readonly after: UnownedCall; readonly limit: number },
) =>
  unownedCalls(db, limit)
    .where(dueAt, '=', after.dueAt)
    .where('toolCalls.id', '>', after.id)
    .orderBy('toolCalls.id');

function unownedCalls(db: Db, limit: number) {
  return (
    db
      .selectFrom('toolCalls')
      .innerJoin('runs', 'runs.id', 'toolCalls.runId')
      .select(['toolCalls.id', dueAt.as('dueAt')])
      .where(isPlannedOrSent)
      .where('toolCalls.owner', 'is', null)
      .where('runs.status', 'in', ['running', 'input_required', 'cancelling'])
      // PostgreSQL would sort the calls if the order did not begin with the owner, which is null.
      .orderBy('toolCalls.owner')
      .limit(limit)
  );
}
