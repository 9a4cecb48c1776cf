import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import { SETTLED_STATUSES, SUPERSEDED, type Run } from '../ports/store/run.ts';
import type { InboxItem, InboxState } from '../ports/store/inbox.ts';
import { OPEN_CALL_STATES, type ToolCallState } from '../ports/store/tool-call.ts';
import type { StoredMessage } from '../ports/store/message.ts';
import { INBOX_COLUMNS, RUN_COLUMNS } from './columns.ts';
import type { Database } from './database.ts';
import { ERASED } from './erased-runs.ts';

type Db = Kysely<Database>;

// SQLite prepares a statement again at each execution when a bound value can change its plan: a
// limit, a column of a partial index, or a condition beside an order. So these values are literals,
// and the short lists of a run are sorted in memory.
export const ONE = sql.lit(1);
export const ACTIVE = sql.lit('active');

interface ById {
  readonly id: string;
}

interface OfRun {
  readonly runId: string;
}

export const selectRun = (db: Db, { id }: ById) =>
  db
    .selectFrom('runs')
    .select([...RUN_COLUMNS, 'prompt', 'instructions', 'answer', 'outputSchema', 'output'])
    .where('id', '=', id)
    .where('status', '!=', ERASED);

export const selectRunCore = (db: Db, { id }: ById) =>
  db.selectFrom('runs').select(RUN_COLUMNS).where('id', '=', id).where('status', '!=', ERASED);

/** The run unless it is queued or settled. */
export const selectActiveRun = (db: Db, { id }: ById) =>
  selectRunCore(db, { id }).where('status', 'not in', ['queued', ...SETTLED_STATUSES]);

export const selectRunStatus = (db: Db, { id }: ById) =>
  db.selectFrom('runs').select('status').where('id', '=', id).where('status', '!=', ERASED);

export const selectRunIds = (
  db: Db,
  { statuses }: { readonly statuses: readonly Run['status'][] },
) =>
  db
    .selectFrom('runs')
    .select('id')
    .where('status', 'in', statuses)
    .orderBy('createdAt')
    .orderBy('id');

export const countRuns = (
  db: Db,
  { status, kind }: { readonly status: Run['status']; readonly kind: Run['kind'] | undefined },
) => {
  const query = db
    .selectFrom('runs')
    .select((run) => run.fn.countAll<number>().as('runs'))
    .where('status', '=', status);
  return kind === undefined ? query : query.where('kind', '=', kind);
};

export const countByStatus = (db: Db) =>
  db
    .selectFrom('runs')
    .select((run) => ['status', run.fn.countAll<number>().as('runs')])
    .where('status', '!=', ERASED)
    .groupBy('status');

export const selectUnsettledRuns = (db: Db, { threadId }: { readonly threadId: string }) =>
  db
    .selectFrom('runs')
    .select(RUN_COLUMNS)
    .where('threadId', '=', threadId)
    .where('status', 'not in', SETTLED_STATUSES)
    .orderBy('createdAt')
    .orderBy('id');

export const selectEvents = (
  db: Db,
  { runId, after, limit }: OfRun & { readonly after: number; readonly limit: number },
) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('runId', '=', runId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit);

/** Messages of a run in any order. */
export const selectMessages = (db: Db, { runId }: OfRun) =>
  db
    .selectFrom('messages')
    .select(['id', 'turn', 'role', 'content', 'native', 'position'])
    .where('runId', '=', runId);

interface MessagePage extends OfRun {
  readonly after: number;
  readonly limit: number;
}

export const selectMessagePage = (db: Db, { runId, after, limit }: MessagePage) =>
  db
    .selectFrom('messages')
    .select(['id', 'turn', 'role', 'content', 'native', 'position'])
    .where('runId', '=', runId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit);

interface ThreadMessages {
  readonly threadId: string;
  readonly before: number | undefined;
  readonly after: { readonly threadPosition: number; readonly position: number } | undefined;
  readonly limit: number | undefined;
}

export const selectThreadMessages = (
  db: Db,
  { threadId, before, after, limit }: ThreadMessages,
) => {
  let query = db
    .selectFrom('messages')
    .innerJoin('runs', 'runs.id', 'messages.runId')
    .select([
      'messages.id',
      'turn',
      'role',
      'content',
      'native',
      'runId',
      'position',
      'threadPosition',
    ])
    .where('threadId', '=', threadId)
    .where((run) => run.not(isWithdrawn(run)))
    .orderBy('threadPosition')
    .orderBy('position');
  if (before !== undefined) query = query.where('threadPosition', '<', before);
  if (after !== undefined)
    query = query.where((where) =>
      where(
        where.refTuple('threadPosition', 'position'),
        '>',
        where.tuple(after.threadPosition, after.position),
      ),
    );
  return limit === undefined ? query : query.limit(limit);
};

/** Whether a run was cancelled before it began, and not for a later run. */
function isWithdrawn(run: ExpressionBuilder<Database, 'runs'>) {
  return run.and([
    run('runs.status', '=', sql.lit('cancelled')),
    run('runs.startedAt', 'is', null),
    run(sql`coalesce(runs.status_reason, '')`, '<>', sql.lit(SUPERSEDED)),
  ]);
}

export const selectMessageIds = (
  db: Db,
  { runId, turn, role }: OfRun & Pick<StoredMessage, 'turn' | 'role'>,
) =>
  db
    .selectFrom('messages')
    .select('id')
    .where('runId', '=', runId)
    .where('turn', '=', turn)
    .where('role', '=', role)
    .limit(ONE);

export const selectLastMessage = (
  db: Db,
  {
    runId,
    before,
    role,
  }: OfRun & {
    readonly before: number | undefined;
    readonly role: StoredMessage['role'] | undefined;
  },
) => {
  let query = db
    .selectFrom('messages')
    .select(['id', 'turn', 'role', 'content', 'native', 'position'])
    .where('runId', '=', runId)
    .orderBy('position', 'desc')
    .limit(ONE);
  if (before !== undefined) query = query.where('position', '<', before);
  return role === undefined ? query : query.where('role', '=', role);
};

export const selectPartial = (db: Db, { runId }: OfRun) =>
  db.selectFrom('partials').select(['messageId', 'text']).where('runId', '=', runId);

export const selectActiveTurn = (db: Db, { runId }: OfRun) =>
  db
    .selectFrom('turns')
    .select(['turn', 'owner', 'messageId'])
    .where('runId', '=', runId)
    .where('status', '=', ACTIVE);

export const selectCallTarget = (db: Db, { id }: ById) =>
  db.selectFrom('toolCalls').select(['server', 'tool', 'arguments']).where('id', '=', id);

export const selectRunOfCall = (db: Db, { id }: ById) =>
  db.selectFrom('toolCalls').select('runId').where('id', '=', id);

export const selectToolCall = (db: Db, { id }: ById) =>
  db.selectFrom('toolCalls').selectAll().where('id', '=', id);

/** Calls of a run in any order. */
export const selectToolCalls = (
  db: Db,
  {
    runId,
    turn,
    state,
  }: OfRun & {
    readonly turn: number | undefined;
    readonly state: readonly ToolCallState[] | undefined;
  },
) => {
  let query = db.selectFrom('toolCalls').selectAll().where('runId', '=', runId);
  if (turn !== undefined) query = query.where('turn', '=', turn);
  return state === undefined ? query : query.where('state', 'in', state);
};

/** The open calls of a run. Sorting them here costs more than the search, since there are few. */
export const selectOpenCalls = (db: Db, { runId }: OfRun) =>
  db
    .selectFrom('toolCalls')
    .select(['id', 'state', 'attempt', 'owner', 'turn', 'position'])
    .where('runId', '=', runId)
    .where('finishedAt', 'is', null)
    .where('state', 'in', OPEN_CALL_STATES);

export const selectInboxItem = (db: Db, { id }: ById) =>
  db
    .selectFrom('inboxItems')
    .select([...INBOX_COLUMNS, 'request'])
    .where('id', '=', id);

export const selectLastInboxItem = (
  db: Db,
  { callId, questionKey }: { readonly callId: string; readonly questionKey: string },
) =>
  db
    .selectFrom('inboxItems')
    .select([...INBOX_COLUMNS, 'request'])
    .where('callId', '=', callId)
    .where('questionKey', '=', questionKey)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(ONE);

export const selectInboxItems = (
  db: Db,
  {
    runId,
    callId,
    state,
  }: {
    readonly runId: string | undefined;
    readonly callId: string | undefined;
    readonly state: InboxState | undefined;
  },
) => {
  let query = db
    .selectFrom('inboxItems')
    .select([...INBOX_COLUMNS, 'request'])
    .orderBy('createdAt')
    .orderBy('id');
  if (runId !== undefined) query = query.where('runId', '=', runId);
  if (callId !== undefined) query = query.where('callId', '=', callId);
  return state === undefined ? query : query.where('state', '=', state);
};

/** Items of a run in any order; there are few. */
export const selectInboxEntries = (
  db: Db,
  {
    runId,
    callId,
    states,
  }: OfRun & {
    readonly callId: InboxItem['callId'] | undefined;
    readonly states: readonly InboxState[];
  },
) => {
  const query = db
    .selectFrom('inboxItems')
    .select([
      'id',
      'runId',
      'callId',
      'kind',
      'state',
      'owner',
      'questionKey',
      'expiresAt',
      'createdAt',
    ])
    .where('runId', '=', runId)
    .where('state', 'in', states);
  return callId === undefined ? query : query.where('callId', '=', callId);
};

export const countInboxItems = (
  db: Db,
  { callId, state }: { readonly callId: string; readonly state: InboxState | undefined },
) => {
  const query = db
    .selectFrom('inboxItems')
    .select((item) => item.fn.countAll<number>().as('items'))
    .where('callId', '=', callId);
  return state === undefined ? query : query.where('state', '=', state);
};

export const selectApprovals = (
  db: Db,
  {
    filter,
  }: {
    readonly filter: { readonly runId: string; readonly threadId?: string | undefined } | undefined;
  },
) => {
  const query = db.selectFrom('rememberedApprovals').selectAll().orderBy('createdAt').orderBy('id');
  if (filter === undefined) return query;
  const { runId, threadId } = filter;
  return query.where((where) =>
    where.or([
      where('runId', '=', runId),
      ...(threadId === undefined ? [] : [where('threadId', '=', threadId)]),
    ]),
  );
};

export const selectAudit = (
  db: Db,
  {
    runId,
    after,
    limit,
  }: {
    readonly runId: string | undefined;
    readonly after: number;
    readonly limit: number;
  },
) => {
  const query = db
    .selectFrom('audit')
    .selectAll()
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit);
  return runId === undefined ? query : query.where('runId', '=', runId);
};
