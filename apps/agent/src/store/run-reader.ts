import type { Kysely } from 'kysely';
import { SETTLED_STATUSES, type RunReader } from '../ports/run-store.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { eventCodec, inboxCodec, messageCodec, rememberedApprovalCodec, runCodec, storedAuditCodec, toolCallCodec, type Database } from './database.ts';

/** Reads over a connection or a transaction. */
export function createRunReader(db: Kysely<Database>): RunReader {
  return {
    async run(id) {
      const row = await db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst();
      return row && runCodec.decode(row);
    },

    async runs({ limit, cursor, status }) {
      let query = db.selectFrom('runs').selectAll().orderBy('createdAt', 'desc').orderBy('id', 'desc');
      if (status !== undefined) query = query.where('status', '=', status);
      if (cursor !== undefined) {
        const { createdAt, id } = decodeCursor(cursor);
        query = query.where((where) => where(where.refTuple('createdAt', 'id'), '<', where.tuple(createdAt, id)));
      }
      const rows = await query.limit(limit + 1).execute();
      const data = rows.slice(0, limit).map((row) => runCodec.decode(row));
      const last = data.at(-1);
      return { data, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(last) : undefined };
    },

    async events(runId, { after, limit }) {
      const rows = await db.selectFrom('events').selectAll().where('runId', '=', runId).where('seq', '>', after).orderBy('seq').limit(limit).execute();
      return rows.map((row) => eventCodec.decode(row));
    },

    async messages(runId) {
      const rows = await db.selectFrom('messages').select(['id', 'turn', 'role', 'content', 'native']).where('runId', '=', runId).orderBy('position').execute();
      return rows.map((row) => messageCodec.decode(row));
    },

    async toolCall(id) {
      const row = await db.selectFrom('toolCalls').selectAll().where('id', '=', id).executeTakeFirst();
      return row && toolCallCodec.decode(row);
    },

    async toolCalls(runId, { turn, state } = {}) {
      let query = db.selectFrom('toolCalls').selectAll().where('runId', '=', runId).orderBy('turn').orderBy('position');
      if (turn !== undefined) query = query.where('turn', '=', turn);
      if (state !== undefined) query = query.where('state', 'in', state);
      return (await query.execute()).map((row) => toolCallCodec.decode(row));
    },

    async inboxItem(id) {
      const row = await db.selectFrom('inboxItems').selectAll().where('id', '=', id).executeTakeFirst();
      return row && inboxCodec.decode(row);
    },

    async inboxItemOf(callId, questionKey) {
      const row = await db.selectFrom('inboxItems').selectAll().where('callId', '=', callId).where('questionKey', '=', questionKey).orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
      return row && inboxCodec.decode(row);
    },

    async inboxItems({ runId, state }) {
      let query = db.selectFrom('inboxItems').selectAll().orderBy('createdAt').orderBy('id');
      if (runId !== undefined) query = query.where('runId', '=', runId);
      if (state !== undefined) query = query.where('state', '=', state);
      return (await query.execute()).map((row) => inboxCodec.decode(row));
    },

    async rememberedApprovals(filter) {
      let query = db.selectFrom('rememberedApprovals').selectAll().orderBy('createdAt').orderBy('id');
      if (filter !== undefined) {
        const { runId, threadId } = filter;
        query = query.where((where) => where.or([where('runId', '=', runId), ...(threadId === undefined ? [] : [where('threadId', '=', threadId)])]));
      }
      return (await query.execute()).map((row) => rememberedApprovalCodec.decode(row));
    },

    async audit({ runId, after, limit }) {
      let query = db.selectFrom('audit').selectAll().where('seq', '>', after).orderBy('seq').limit(limit);
      if (runId !== undefined) query = query.where('runId', '=', runId);
      return (await query.execute()).map((row) => storedAuditCodec.decode(row));
    },

    async partial(runId) {
      return db.selectFrom('partials').select(['messageId', 'text']).where('runId', '=', runId).executeTakeFirst();
    },

    async activeTurn(runId) {
      return db.selectFrom('turns').select(['turn', 'owner', 'messageId']).where('runId', '=', runId).where('status', '=', 'active').executeTakeFirst();
    },

    async unsettledRuns() {
      const rows = await db.selectFrom('runs').selectAll().where('status', 'not in', SETTLED_STATUSES).orderBy('createdAt').orderBy('id').execute();
      return rows.map((row) => runCodec.decode(row));
    },
  };
}
