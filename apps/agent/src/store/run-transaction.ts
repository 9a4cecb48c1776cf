import type { Clock } from '../ports/clock.ts';
import type { InboxItem } from '../ports/store/inbox.ts';
import type { StoreTransaction } from '../ports/store.ts';
import { createArtifactWriter } from './artifact-rows.ts';
import { createCallRateWriter } from './call-rate-rows.ts';
import { createAdmissionWriter } from './admission-rows.ts';
import type { Rows } from './rows.ts';
import {
  auditCodec,
  inboxCodec,
  messageCodec,
  rememberedApprovalCodec,
  runCodec,
  toolCallCodec,
} from './database.ts';
import { insertEventRows } from './event-rows.ts';
import { createEpochWriter } from './epoch-rows.ts';
import { createIdempotencyWriter } from './idempotency-rows.ts';
import { selectRun } from './read-queries.ts';
import { createRetentionWriter } from './retention-rows.ts';
import { createScheduleWriter } from './schedule-rows.ts';
import { createWebhookWriter } from './webhook-rows.ts';
import { createWorkerWriter } from './worker-rows.ts';
import { createRunReader } from './run-reader.ts';
import { shortenObject } from '../json/short-json.ts';
import { createAgentWriter } from './agent-rows.ts';
import { createRunTextWriter, insertRun, updateRun } from './run-texts.ts';
import { createThreadWriter } from './thread-rows.ts';
import {
  countSampling,
  deleteApproval,
  deletePartial,
  endTurn,
  insertApproval,
  insertAudit,
  NO_RUN,
  insertInboxItem,
  insertMessage,
  insertNumberedAudit,
  insertToolCall,
  insertTurn,
  selectLastPosition,
  takeSeqs,
  updateInboxItem,
  updateToolCall,
  upsertPartial,
} from './write-queries.ts';

/** Creates the writes of one transaction, with times from `clock`. */
export function createRunTransaction(connection: Rows, clock: Clock): StoreTransaction {
  const db = connection.kysely;
  return {
    ...createRunReader(connection, clock),
    ...createAdmissionWriter(connection),
    ...createCallRateWriter(connection),
    ...createThreadWriter(connection),
    ...createAgentWriter(connection),
    ...createArtifactWriter(connection),
    ...createEpochWriter(connection),
    ...createIdempotencyWriter(connection, clock),
    ...createRetentionWriter(connection),
    ...createRunTextWriter(connection),
    ...createScheduleWriter(connection),
    ...createWebhookWriter(connection),
    ...createWorkerWriter(connection, clock),

    /** Reads whole rows only, since decisions are based on them. */
    async run(id) {
      const row = await connection.first(selectRun, { id });
      return row && runCodec.decode(row);
    },

    async insertRun(run) {
      await insertRun(connection, run);
    },

    async lockApiKey(apiKey) {
      await connection.lock(`api key ${apiKey}`);
    },

    async nextThreadPosition(threadId) {
      const last = (await connection.first(selectLastPosition, { threadId }))?.last ?? null;
      return last === null ? 0 : last + 1;
    },

    async updateRun(id, patch) {
      if (Object.keys(patch).length === 0) return;
      await updateRun(connection, { id, patch: runCodec.encode(patch) });
    },

    async append(runId, events, at = clock.now()) {
      const taken = await connection.first(takeSeqs, { runId, count: events.length });
      if (taken === undefined) throw new Error(`There is no run ${runId} to append events to.`);
      const { lastSeq } = taken;
      if (events.length === 0) return lastSeq;
      await insertEventRows(connection, events, { runId, lastSeq, at });
      return lastSeq;
    },

    async insertMessage(runId, message) {
      const { native } = message;
      await connection.send(insertMessage, {
        ...messageCodec.encode(message),
        native: native === undefined ? null : JSON.stringify(native),
        runId,
      });
    },

    async deleteMessagesAfter(runId, turn) {
      await db.deleteFrom('messages').where('runId', '=', runId).where('turn', '>', turn).execute();
    },

    async insertToolCall(call) {
      await connection.send(insertToolCall, toolCallCodec.encode(call));
    },

    async updateToolCall(id, { state, attempt, owner }, patch) {
      const isUnowned = owner === null ? true : undefined;
      const values = {
        id,
        state,
        attempt,
        owner: owner ?? undefined,
        isUnowned,
        patch: toolCallCodec.encode(patch),
      };
      return connection.changes(updateToolCall, values);
    },

    async insertInboxItem(item) {
      await connection.send(insertInboxItem, {
        ...inboxCodec.encode(item),
        preview: previewOf(item.request),
      });
    },

    async updateInboxItem(id, expected, patch) {
      const preview = patch.request === undefined ? {} : { preview: previewOf(patch.request) };
      const values = { id, expected, patch: { ...inboxCodec.encode(patch), ...preview } };
      return (await connection.run(updateInboxItem, values)) > 0;
    },

    async rememberApproval(approval) {
      await connection.send(insertApproval, rememberedApprovalCodec.encode(approval));
    },

    async forgetApproval(id) {
      return (await connection.run(deleteApproval, { id })) > 0;
    },

    async appendAudit(entries) {
      if (entries.length === 0) return;
      const at = clock.now();
      const rows = entries.map((entry) =>
        auditCodec.encode({
          ...entry,
          runId: entry.runId ?? NO_RUN,
          webhookId: entry.webhookId,
          apiKey: entry.apiKey,
          at,
        }),
      );
      // The lock makes the order of the numbers that of the commits.
      await connection.sendLast(
        'audit',
        connection.dialect === 'postgres' ? insertNumberedAudit : insertAudit,
        { rows },
      );
    },

    async countSampling(runId, server) {
      return (await connection.first(countSampling, { runId, server }))?.requests ?? 0;
    },

    async savePartial(runId, partial) {
      if (partial === undefined) {
        await connection.send(deletePartial, { runId });
        return;
      }
      const { messageId, text } = partial;
      await connection.send(upsertPartial, { runId, messageId, text });
    },

    async startTurn({ runId, turn, owner, messageId }) {
      const row = {
        runId,
        turn,
        owner,
        messageId,
        status: 'active',
        startedAt: clock.now(),
        endedAt: null,
      };
      return connection.changes(insertTurn, row);
    },

    async endTurn(messageId, status) {
      return (await connection.run(endTurn, { messageId, status, endedAt: clock.now() })) > 0;
    },
  };
}

/** Returns the short form of a long request as JSON. */
function previewOf(request: InboxItem['request']): string | null {
  const { value, isShortened } = shortenObject(request);
  return isShortened ? JSON.stringify(value) : null;
}
