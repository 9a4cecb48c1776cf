import { sql, type Kysely, type NotNull } from 'kysely';
import type { Retry } from '../ports/store/sweep.ts';
import { OPEN_CALL_STATES, SENT_CALL_STATES } from '../ports/store/tool-call.ts';
import type { Database } from './database.ts';
import { ACTIVE } from './read-queries.ts';

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
export const selectInboxDeadlines = (
  db: Db,
  { until, limit }: { readonly until: number; readonly limit: number },
) =>
  db
    .selectFrom('inboxItems')
    .select(['id', 'runId', 'expiresAt as at'])
    .where('state', '=', sql.lit('open'))
    .where('expiresAt', '<=', until)
    .orderBy('expiresAt')
    .limit(limit);

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

/** Calls that any worker may send or continue. */
export const selectUnownedCalls = (
  db: Db,
  { now, limit }: { readonly now: number; readonly limit: number },
) =>
  db
    .selectFrom('toolCalls')
    .innerJoin('runs', 'runs.id', 'toolCalls.runId')
    .select('toolCalls.id')
    .where('toolCalls.finishedAt', 'is', null)
    .where('state', 'in', ['planned', ...SENT_CALL_STATES])
    .where('owner', 'is', null)
    .where((call) => call.or([call('dueAt', 'is', null), call('dueAt', '<=', now)]))
    .where('runs.status', 'in', ['running', 'input_required', 'cancelling'])
    .limit(limit);
