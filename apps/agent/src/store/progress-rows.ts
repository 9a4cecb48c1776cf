import type { Kysely, NotNull } from 'kysely';
import type { ProgressReader } from '../ports/store/progress.ts';
import { OPEN_CALL_STATES } from '../ports/store/tool-call.ts';
import { inboxCodec, messageCodec, runCodec, type Database } from './database.ts';

/** Columns of a run without the long ones. */
export const RUN_COLUMNS = [
  'id',
  'kind',
  'status',
  'statusReason',
  'servers',
  'provider',
  'model',
  'scripted',
  'limits',
  'threadId',
  'threadPosition',
  'agentId',
  'metadata',
  'forkedFrom',
  'lastSeq',
  'turns',
  'toolCalls',
  'usage',
  'repairedTurn',
  'cutTurns',
  'error',
  'modelOutage',
  'retryAt',
  'waitedMs',
  'waitingSince',
  'createdAt',
  'startedAt',
  'finishedAt',
] as const;

/** Columns of an inbox item without `request` and its `preview`. */
export const INBOX_COLUMNS = [
  'id',
  'runId',
  'callId',
  'kind',
  'state',
  'response',
  'owner',
  'questionKey',
  'binding',
  'createdAt',
  'expiresAt',
  'answeredAt',
] as const;

/** Creates the reads for deciding the next step of a run. */
export function createProgressReader(db: Kysely<Database>): ProgressReader {
  return {
    async runCore(id) {
      const row = await db
        .selectFrom('runs')
        .select(RUN_COLUMNS)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && runCodec.decode(row);
    },

    async runIds(statuses) {
      const rows = await db
        .selectFrom('runs')
        .select('id')
        .where('status', 'in', statuses)
        .orderBy('createdAt')
        .orderBy('id')
        .execute();
      return rows.map(({ id }) => id);
    },

    async runStatus(id) {
      return (await db.selectFrom('runs').select('status').where('id', '=', id).executeTakeFirst())
        ?.status;
    },

    async retries({ until, after, limit }) {
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
      const rows = await query.$narrowType<{ retryAt: NotNull }>().execute();
      return rows;
    },

    async countRuns({ status, kind }) {
      let query = db
        .selectFrom('runs')
        .select((run) => run.fn.countAll<number>().as('runs'))
        .where('status', '=', status);
      if (kind !== undefined) query = query.where('kind', '=', kind);
      return (await query.executeTakeFirstOrThrow()).runs;
    },

    async openCalls(runId) {
      return db
        .selectFrom('toolCalls')
        .select(['id', 'state'])
        .where('runId', '=', runId)
        .where('state', 'in', OPEN_CALL_STATES)
        .orderBy('turn')
        .orderBy('position')
        .execute();
    },

    async inboxEntries({ runId, callId, states }) {
      let query = db
        .selectFrom('inboxItems')
        .select(['id', 'runId', 'callId', 'kind', 'state', 'owner', 'questionKey', 'expiresAt'])
        .where('runId', '=', runId)
        .where('state', 'in', states);
      if (callId !== undefined) query = query.where('callId', '=', callId);
      return (await query.orderBy('createdAt').orderBy('id').execute()).map((row) =>
        inboxCodec.decode(row),
      );
    },

    async hasMessage(runId, { turn, role }) {
      const row = await db
        .selectFrom('messages')
        .select('id')
        .where('runId', '=', runId)
        .where('turn', '=', turn)
        .where('role', '=', role)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    async lastMessage(runId, { before, role } = {}) {
      let query = db
        .selectFrom('messages')
        .select(['id', 'turn', 'role', 'content', 'native', 'position'])
        .where('runId', '=', runId)
        .orderBy('position', 'desc')
        .limit(1);
      if (before !== undefined) query = query.where('position', '<', before);
      if (role !== undefined) query = query.where('role', '=', role);
      const row = await query.executeTakeFirst();
      if (row === undefined) return undefined;
      const { position, ...message } = row;
      return { ...messageCodec.decode(message), position };
    },
  };
}
