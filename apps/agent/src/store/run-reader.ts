import type { Kysely } from 'kysely';
import { SETTLED_STATUSES } from '../ports/store/run.ts';
import type { StoreReader } from '../ports/store.ts';
import { createArtifactReader } from './artifact-rows.ts';
import { createEpochReader } from './epoch-rows.ts';
import { createListReader } from './list-rows.ts';
import { createProgressReader, RUN_COLUMNS, INBOX_COLUMNS } from './progress-rows.ts';
import { createThreadReader } from './thread-rows.ts';
import {
  eventCodec,
  inboxCodec,
  messageCodec,
  rememberedApprovalCodec,
  runCodec,
  storedAuditCodec,
  toolCallCodec,
  type Database,
} from './database.ts';

/** Creates the reads over a connection or a transaction. */
export function createRunReader(db: Kysely<Database>): StoreReader {
  return {
    ...createThreadReader(db),
    ...createArtifactReader(db),
    ...createEpochReader(db),
    ...createListReader(db),
    ...createProgressReader(db),

    async run(id) {
      const row = await db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst();
      return row && runCodec.salvage(row);
    },

    async runCounts() {
      const rows = await db
        .selectFrom('runs')
        .select((run) => ['status', run.fn.countAll<number>().as('runs')])
        .groupBy('status')
        .execute();
      return new Map(rows.map((row) => [row.status, row.runs]));
    },

    async events(runId, { after, limit }) {
      const rows = await db
        .selectFrom('events')
        .selectAll()
        .where('runId', '=', runId)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit)
        .execute();
      return rows.map((row) => eventCodec.salvage(row));
    },

    async messages(runId) {
      const rows = await db
        .selectFrom('messages')
        .select(['id', 'turn', 'role', 'content', 'native'])
        .where('runId', '=', runId)
        .orderBy('position')
        .execute();
      return rows.map((row) => messageCodec.decode(row));
    },

    async threadMessages(threadId, { before, after, limit } = {}) {
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
      if (limit !== undefined) query = query.limit(limit);
      const rows = await query.execute();
      // Runs of a thread have a position in it.
      return rows.map(({ runId, position, threadPosition, ...row }) => ({
        ...messageCodec.decode(row),
        runId,
        position,
        threadPosition: threadPosition ?? 0,
      }));
    },

    async toolCall(id) {
      const row = await db
        .selectFrom('toolCalls')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && toolCallCodec.decode(row);
    },

    async toolCalls(runId, { turn, state } = {}) {
      let query = db
        .selectFrom('toolCalls')
        .selectAll()
        .where('runId', '=', runId)
        .orderBy('turn')
        .orderBy('position');
      if (turn !== undefined) query = query.where('turn', '=', turn);
      if (state !== undefined) query = query.where('state', 'in', state);
      return (await query.execute()).map((row) => toolCallCodec.decode(row));
    },

    async inboxItem(id) {
      const row = await db
        .selectFrom('inboxItems')
        .select([...INBOX_COLUMNS, 'request'])
        .where('id', '=', id)
        .executeTakeFirst();
      return row && inboxCodec.decode(row);
    },

    async inboxItemOf(callId, questionKey) {
      const row = await db
        .selectFrom('inboxItems')
        .select([...INBOX_COLUMNS, 'request'])
        .where('callId', '=', callId)
        .where('questionKey', '=', questionKey)
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && inboxCodec.decode(row);
    },

    async inboxItems({ runId, callId, state }) {
      let query = db
        .selectFrom('inboxItems')
        .select([...INBOX_COLUMNS, 'request'])
        .orderBy('createdAt')
        .orderBy('id');
      if (runId !== undefined) query = query.where('runId', '=', runId);
      if (callId !== undefined) query = query.where('callId', '=', callId);
      if (state !== undefined) query = query.where('state', '=', state);
      return (await query.execute()).map((row) => inboxCodec.decode(row));
    },

    async countInboxItems({ callId, state }) {
      let query = db
        .selectFrom('inboxItems')
        .select((item) => item.fn.countAll<number>().as('items'))
        .where('callId', '=', callId);
      if (state !== undefined) query = query.where('state', '=', state);
      return (await query.executeTakeFirstOrThrow()).items;
    },

    async rememberedApprovals(filter) {
      let query = db
        .selectFrom('rememberedApprovals')
        .selectAll()
        .orderBy('createdAt')
        .orderBy('id');
      if (filter !== undefined) {
        const { runId, threadId } = filter;
        query = query.where((where) =>
          where.or([
            where('runId', '=', runId),
            ...(threadId === undefined ? [] : [where('threadId', '=', threadId)]),
          ]),
        );
      }
      return (await query.execute()).map((row) => rememberedApprovalCodec.decode(row));
    },

    async audit({ runId, after, limit }) {
      let query = db
        .selectFrom('audit')
        .selectAll()
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit);
      if (runId !== undefined) query = query.where('runId', '=', runId);
      return (await query.execute()).map((row) => storedAuditCodec.decode(row));
    },

    async partial(runId) {
      return db
        .selectFrom('partials')
        .select(['messageId', 'text'])
        .where('runId', '=', runId)
        .executeTakeFirst();
    },

    async activeTurn(runId) {
      return db
        .selectFrom('turns')
        .select(['turn', 'owner', 'messageId'])
        .where('runId', '=', runId)
        .where('status', '=', 'active')
        .executeTakeFirst();
    },

    async unsettledRuns({ threadId }) {
      const rows = await db
        .selectFrom('runs')
        .select(RUN_COLUMNS)
        .where('threadId', '=', threadId)
        .where('status', 'not in', SETTLED_STATUSES)
        .orderBy('createdAt')
        .orderBy('id')
        .execute();
      return rows.map((row) => runCodec.decode(row));
    },
  };
}
