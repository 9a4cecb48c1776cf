import { sql, type Kysely, type NotNull } from 'kysely';
import { PATIENCE_MS } from '../ports/priority.ts';
import type { Retry } from '../ports/store/sweep.ts';
import { SETTLED_STATUSES } from '../ports/store/run.ts';
import { OPEN_CALL_STATES, SENT_CALL_STATES } from '../ports/store/tool-call.ts';
import type { Database } from './database.ts';
import { ERASED } from './erased-runs.ts';
import { ACTIVE, ONE } from './read-queries.ts';

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

/** Time at which the patience of a run ends. */
const patienceEnd = sql<number>`${sql.ref('createdAt')} + case ${sql.ref('priority')}
  when 'high' then ${sql.lit(PATIENCE_MS.high)} when 'low' then ${sql.lit(PATIENCE_MS.low)}
  else ${sql.lit(PATIENCE_MS.normal)} end`;

/** Queued runs that no earlier run of their thread precedes, the first of each API key first. */
export const selectRunnable = (db: Db, { perKey }: { readonly perKey: number }) =>
  db
    .selectFrom(
      db
        .selectFrom('runs')
        .select(['id', 'apiKey', 'createdAt', patienceEnd.as('patienceEnd')])
        .select((run) =>
          run.fn
            .agg<number>('row_number')
            .over((rows) =>
              rows.partitionBy('apiKey').orderBy(patienceEnd).orderBy('createdAt').orderBy('id'),
            )
            .as('place'),
        )
        .where('status', '=', sql.lit('queued'))
        .where((run) =>
          run.or([
            run('threadId', 'is', null),
            run(
              // The last run before it, not any, which SQLite would look for among all settled runs first.
              run
                .selectFrom('runs as earlier')
                .select('earlier.id')
                .whereRef('earlier.threadId', '=', 'runs.threadId')
                .whereRef('earlier.threadPosition', '<', 'runs.threadPosition')
                .where('earlier.status', 'not in', [...SETTLED_STATUSES, ERASED])
                .orderBy('earlier.threadPosition', 'desc')
                .limit(ONE),
              'is',
              null,
            ),
          ]),
        )
        .as('runnable'),
    )
    .select(['id', 'apiKey'])
    .select((run) =>
      run
        .selectFrom('runs as started')
        .select('started.startedAt')
        .whereRef('started.apiKey', '=', 'runnable.apiKey')
        .where('started.startedAt', 'is not', null)
        // SQLite reads one entry of the index for it, and all of them for a maximum.
        .orderBy('started.startedAt', 'desc')
        .limit(ONE)
        .as('lastStartAt'),
    )
    .where('place', '<=', perKey)
    .orderBy('place')
    .orderBy('lastStartAt', (start) => start.asc().nullsFirst())
    .orderBy('patienceEnd')
    .orderBy('createdAt')
    .orderBy('id');

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
