import type { Transaction } from 'kysely';
import type { Clock } from '../ports/clock.ts';
import type { InboxItem } from '../ports/store/inbox.ts';
import type { StoreTransaction } from '../ports/store.ts';
import { createArtifactWriter, deleteUnownedArtifacts } from './artifact-rows.ts';
import { changed } from './changed.ts';
import {
  auditCodec,
  eventCodec,
  inboxCodec,
  messageCodec,
  rememberedApprovalCodec,
  runCodec,
  toolCallCodec,
  type Database,
} from './database.ts';
import { createEpochWriter, deleteUnusedTools } from './epoch-rows.ts';
import { createIdempotencyWriter } from './idempotency-rows.ts';
import { createRunReader } from './run-reader.ts';
import { shortenObject } from '../json/short-json.ts';
import { createThreadWriter } from './thread-rows.ts';

/** Creates the writes of one transaction, with times from `clock`. */
export function createRunTransaction(db: Transaction<Database>, clock: Clock): StoreTransaction {
  return {
    ...createRunReader(db),
    ...createThreadWriter(db),
    ...createArtifactWriter(db),
    ...createEpochWriter(db),
    ...createIdempotencyWriter(db, clock),

    /** Reads whole rows only, since decisions are based on them. */
    async run(id) {
      const row = await db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst();
      return row && runCodec.decode(row);
    },

    async insertRun(run) {
      await db.insertInto('runs').values(runCodec.encode(run)).execute();
    },

    async nextThreadPosition(threadId) {
      const { last } = await db
        .selectFrom('runs')
        .select((run) => run.fn.max('threadPosition').as('last'))
        .where('threadId', '=', threadId)
        .executeTakeFirstOrThrow();
      return last === null ? 0 : last + 1;
    },

    async deleteRun(id) {
      await db
        .updateTable('idempotencyKeys')
        .set({ response: null })
        .where('runId', '=', id)
        .execute();
      await db.deleteFrom('runs').where('id', '=', id).execute();
      await deleteUnownedArtifacts(db);
      await deleteUnusedTools(db);
    },

    async updateRun(id, patch) {
      if (Object.keys(patch).length === 0) return;
      await db.updateTable('runs').set(runCodec.encode(patch)).where('id', '=', id).execute();
    },

    async append(runId, events) {
      const { lastSeq } = await db
        .updateTable('runs')
        .set((expression) => ({ lastSeq: expression('lastSeq', '+', events.length) }))
        .where('id', '=', runId)
        .returning('lastSeq')
        .executeTakeFirstOrThrow();
      if (events.length === 0) return lastSeq;
      const first = lastSeq - events.length + 1;
      const at = clock.now();
      const rows = events.map(({ type, data }, index) =>
        eventCodec.encode({ runId, seq: first + index, type, version: 1, at, data }),
      );
      await db.insertInto('events').values(rows).execute();
      return lastSeq;
    },

    async insertMessage(runId, message) {
      await db
        .insertInto('messages')
        .values((expression) => ({
          ...messageCodec.encode(message),
          native: message.native === undefined ? null : JSON.stringify(message.native),
          runId,
          position: expression
            .selectFrom('messages')
            .where('runId', '=', runId)
            .select((count) => count.fn.countAll<number>().as('position')),
        }))
        .execute();
    },

    async deleteMessagesAfter(runId, turn) {
      await db.deleteFrom('messages').where('runId', '=', runId).where('turn', '>', turn).execute();
    },

    async insertToolCall(call) {
      await db.insertInto('toolCalls').values(toolCallCodec.encode(call)).execute();
    },

    async updateToolCall(id, { state, attempt }, patch) {
      let query = db
        .updateTable('toolCalls')
        .set(toolCallCodec.encode(patch))
        .where('id', '=', id)
        .where('state', 'in', state);
      if (attempt !== undefined) query = query.where('attempt', '=', attempt);
      return changed(query);
    },

    async insertInboxItem(item) {
      await db
        .insertInto('inboxItems')
        .values({ ...inboxCodec.encode(item), preview: previewOf(item.request) })
        .execute();
    },

    async updateInboxItem(id, expected, patch) {
      const preview = patch.request === undefined ? {} : { preview: previewOf(patch.request) };
      return changed(
        db
          .updateTable('inboxItems')
          .set({ ...inboxCodec.encode(patch), ...preview })
          .where('id', '=', id)
          .where('state', '=', expected),
      );
    },

    async rememberApproval(approval) {
      await db
        .insertInto('rememberedApprovals')
        .values(rememberedApprovalCodec.encode(approval))
        .execute();
    },

    async forgetApproval(id) {
      return (
        (await db.deleteFrom('rememberedApprovals').where('id', '=', id).executeTakeFirst())
          .numDeletedRows > 0n
      );
    },

    async appendAudit(entries) {
      if (entries.length === 0) return;
      const at = clock.now();
      await db
        .insertInto('audit')
        .values(entries.map((entry) => auditCodec.encode({ ...entry, at })))
        .execute();
    },

    async countSampling(runId, server) {
      const { requests } = await db
        .insertInto('samplingCounts')
        .values({ runId, server, requests: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(['runId', 'server'])
            .doUpdateSet((set) => ({ requests: set('samplingCounts.requests', '+', 1) })),
        )
        .returning('requests')
        .executeTakeFirstOrThrow();
      return requests;
    },

    async savePartial(runId, partial) {
      if (partial === undefined) {
        await db.deleteFrom('partials').where('runId', '=', runId).execute();
        return;
      }
      const { messageId, text } = partial;
      await db
        .insertInto('partials')
        .values({ runId, messageId, text })
        .onConflict((conflict) => conflict.column('runId').doUpdateSet({ messageId, text }))
        .execute();
    },

    async startTurn({ runId, turn, owner, messageId }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('turns')
        .values({
          runId,
          turn,
          owner,
          messageId,
          status: 'active',
          startedAt: clock.now(),
          endedAt: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    async endTurn(messageId, status) {
      return changed(
        db
          .updateTable('turns')
          .set({ status, endedAt: clock.now() })
          .where('messageId', '=', messageId)
          .where('status', '=', 'active'),
      );
    },
  };
}

/** Returns the short form of a long request as JSON. */
function previewOf(request: InboxItem['request']): string | null {
  const { value, isShortened } = shortenObject(request);
  return isShortened ? JSON.stringify(value) : null;
}
