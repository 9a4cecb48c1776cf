import type { Clock } from '../ports/clock.ts';
import { createCallRateReader } from './call-rate-rows.ts';
import { createStatsReader } from './stats-rows.ts';
import { createSweepReader } from './sweep-rows.ts';
import { createScheduleReader } from './schedule-rows.ts';
import { createWebhookReader } from './webhook-rows.ts';
import { createWorkerReader } from './worker-rows.ts';
import type { StoreReader } from '../ports/store.ts';
import { createArtifactReader } from './artifact-rows.ts';
import type { Rows } from './rows.ts';
import { createEpochReader } from './epoch-rows.ts';
import { createListReader } from './list-rows.ts';
import { NO_RUN } from './write-queries.ts';
import { createProgressReader } from './progress-rows.ts';
import {
  countByStatus,
  countInboxItems,
  selectActiveTurn,
  selectApprovals,
  selectAudit,
  selectCallTarget,
  selectEvents,
  selectInboxItem,
  selectInboxItems,
  selectLastInboxItem,
  selectMessagePage,
  selectMessages,
  selectPartial,
  selectRun,
  selectRunOfCall,
  selectThreadMessages,
  selectToolCall,
  selectToolCalls,
  selectUnsettledRuns,
} from './read-queries.ts';
import { countInProgress, selectLatestOfKey } from './key-queries.ts';
import { createRetentionReader } from './retention-rows.ts';
import { createAgentReader } from './agent-rows.ts';
import { createRunTextReader } from './run-texts.ts';
import { createThreadReader } from './thread-rows.ts';
import {
  eventCodec,
  inboxCodec,
  messageCodec,
  rememberedApprovalCodec,
  runCodec,
  storedAuditCodec,
  toolCallCodec,
} from './database.ts';

/** Creates the reads over a connection or a transaction, with times from `clock`. */
export function createRunReader(connection: Rows, clock: Clock): StoreReader {
  return {
    ...createThreadReader(connection),
    ...createAgentReader(connection),
    ...createArtifactReader(connection),
    ...createCallRateReader(connection),
    ...createEpochReader(connection),
    ...createListReader(connection),
    ...createProgressReader(connection),
    ...createRetentionReader(connection),
    ...createRunTextReader(connection),
    ...createStatsReader(connection),
    ...createSweepReader(connection),
    ...createScheduleReader(connection),
    ...createWebhookReader(connection),
    ...createWorkerReader(connection, clock),

    async run(id) {
      const row = await connection.first(selectRun, { id });
      return row && runCodec.salvage(row);
    },

    async runCounts() {
      const rows = await connection.rows(countByStatus, {});
      return new Map(rows.map((row) => [row.status, row.runs]));
    },

    async runsInProgress(apiKey) {
      return (await connection.first(countInProgress, { apiKey }))?.runs ?? 0;
    },

    async createdAtOfLatest(apiKey, { nth, since }) {
      const rows = await connection.rows(selectLatestOfKey, { apiKey, nth, since });
      return rows[nth - 1]?.createdAt;
    },

    async events(runId, { after, limit }) {
      const rows = await connection.rows(selectEvents, { runId, after, limit });
      return rows.map((row) => eventCodec.salvage(row));
    },

    async messages(runId) {
      const rows = await connection.rows(selectMessages, { runId });
      return rows
        .toSorted((a, b) => a.position - b.position)
        .map(({ position: _position, ...row }) => messageCodec.decode(row));
    },

    async messagePage(runId, { after = -1, limit }) {
      const rows = await connection.rows(selectMessagePage, { runId, after, limit });
      return rows.map(({ position, ...row }) => ({
        ...messageCodec.decode(row),
        runId,
        position,
      }));
    },

    async threadMessages(threadId, { before, after, limit } = {}) {
      const rows = await connection.rows(selectThreadMessages, { threadId, before, after, limit });
      // Runs of a thread have a position in it.
      return rows.map(({ runId, position, threadPosition, ...row }) => ({
        ...messageCodec.decode(row),
        runId,
        position,
        threadPosition: threadPosition ?? 0,
      }));
    },

    async toolCall(id) {
      const row = await connection.first(selectToolCall, { id });
      return row && toolCallCodec.decode(row);
    },

    async runOfCall(id) {
      return (await connection.first(selectRunOfCall, { id }))?.runId;
    },

    async callTarget(id) {
      const row = await connection.first(selectCallTarget, { id });
      return row && toolCallCodec.decode(row);
    },

    async toolCalls(runId, { turn, state } = {}) {
      const rows = await connection.rows(selectToolCalls, { runId, turn, state });
      return rows
        .toSorted((a, b) => a.turn - b.turn || a.position - b.position)
        .map((row) => toolCallCodec.decode(row));
    },

    async inboxItem(id) {
      const row = await connection.first(selectInboxItem, { id });
      return row && inboxCodec.decode(row);
    },

    async inboxItemOf(callId, questionKey) {
      const row = await connection.first(selectLastInboxItem, { callId, questionKey });
      return row && inboxCodec.decode(row);
    },

    async inboxItems({ runId, callId, state }) {
      const rows = await connection.rows(selectInboxItems, { runId, callId, state });
      return rows.map((row) => inboxCodec.decode(row));
    },

    async countInboxItems({ callId, state }) {
      return (await connection.first(countInboxItems, { callId, state }))?.items ?? 0;
    },

    async rememberedApprovals(filter) {
      const rows = await connection.rows(selectApprovals, { filter });
      return rows.map((row) => rememberedApprovalCodec.decode(row));
    },

    async audit({ runId, after, limit }) {
      const rows = await connection.rows(selectAudit, { runId, after, limit });
      return rows.map((row) => {
        const entry = storedAuditCodec.decode(row);
        return entry.runId === NO_RUN ? { ...entry, runId: undefined } : entry;
      });
    },

    async partial(runId) {
      return connection.first(selectPartial, { runId });
    },

    async activeTurn(runId) {
      return connection.first(selectActiveTurn, { runId });
    },

    async unsettledRuns({ threadId }) {
      const rows = await connection.rows(selectUnsettledRuns, { threadId });
      return rows.map((row) => runCodec.decode(row));
    },
  };
}
