import type { Kysely } from 'kysely';
import type { ProgressReader } from '../ports/store/progress.ts';
import type { Rows } from './rows.ts';
import { inboxCodec, messageCodec, runCodec, type Database } from './database.ts';
import {
  countRuns,
  selectActiveRun,
  selectInboxEntries,
  selectLastMessage,
  selectMessageIds,
  selectOpenCalls,
  selectRunCore,
  selectRunIds,
  selectRunStatus,
} from './read-queries.ts';

const selectCancelledCalls = (db: Kysely<Database>, { ids }: { readonly ids: readonly string[] }) =>
  db
    .selectFrom('toolCalls')
    .select('id')
    .where('id', 'in', ids)
    .where('cancelRequestedAt', 'is not', null);

/** Number of ids in one read. */
const IDS_AT_ONCE = 32;

/** Creates the reads for deciding the next step of a run. */
export function createProgressReader(connection: Rows): ProgressReader {
  return {
    async runCore(id) {
      const row = await connection.first(selectRunCore, { id });
      return row && runCodec.decode(row);
    },

    async activeRun(id) {
      const row = await connection.first(selectActiveRun, { id });
      return row && runCodec.decode(row);
    },

    async runIds(statuses) {
      const rows = await connection.rows(selectRunIds, { statuses });
      return rows.map(({ id }) => id);
    },

    async runStatus(id) {
      return (await connection.first(selectRunStatus, { id }))?.status;
    },

    async countRuns({ status, kind }) {
      return (await connection.first(countRuns, { status, kind }))?.runs ?? 0;
    },

    async openCalls(runId) {
      const rows = await connection.rows(selectOpenCalls, { runId });
      return rows
        .toSorted((a, b) => a.turn - b.turn || a.position - b.position)
        .map(({ id, state, attempt, owner }) => ({
          id,
          state,
          attempt,
          owner: owner ?? undefined,
        }));
    },

    async cancelledCalls(ids) {
      const found: string[] = [];
      for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
        const some = ids.slice(from, from + IDS_AT_ONCE);
        // Repeated ids give every read the same statement.
        const padded = Array.from(
          { length: IDS_AT_ONCE },
          (_, index) => some[index] ?? ids[from] ?? '',
        );
        const rows = await connection.rows(selectCancelledCalls, { ids: padded });
        found.push(...rows.map(({ id }) => id));
      }
      return found;
    },

    async inboxEntries({ runId, callId, states }) {
      const rows = await connection.rows(selectInboxEntries, { runId, callId, states });
      return rows
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
        .map(({ createdAt: _createdAt, ...row }) => inboxCodec.decode(row));
    },

    async hasMessage(runId, { turn, role }) {
      return (await connection.first(selectMessageIds, { runId, turn, role })) !== undefined;
    },

    async lastMessage(runId, { before, role } = {}) {
      const row = await connection.first(selectLastMessage, { runId, before, role });
      if (row === undefined) return undefined;
      const { position, ...message } = row;
      return { ...messageCodec.decode(message), position };
    },
  };
}
