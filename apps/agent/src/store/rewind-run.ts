import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/**
 * Tables of rows that a run creates, with the column of the run id. Artifacts remain, since results
 * refer to them.
 */
const MADE_BY_THE_LOOP = [
  'tool_calls',
  'inbox_items',
  'turns',
  'partials',
  'epochs',
  'catalogues',
  'sampling_counts',
];

/**
 * Resets a settled run to its beginning and ends every other run. Only for a copy of a database
 * that no process has open.
 */
export function rewindRun(dataDir: string, runId: string): void {
  const database = new Sqlite(join(dataDir, 'signalbox.sqlite'));
  try {
    // Artifacts belong to the calls that are deleted here.
    database.pragma('foreign_keys = OFF');
    database.transaction(() => {
      for (const table of MADE_BY_THE_LOOP)
        database.prepare(`delete from ${table} where run_id = ?`).run(runId);
      database.prepare('delete from messages where run_id = ? and turn > 0').run(runId);
      database.prepare('delete from events where run_id = ? and seq > 1').run(runId);
      database
        .prepare(
          'delete from remembered_approvals where run_id = ? or created_at > (select finished_at from runs where id = ?)',
        )
        .run(runId, runId);
      database
        .prepare(
          "update runs set status = 'cancelled', deadline_at = null where id <> ? and status not in ('completed', 'failed', 'cancelled', 'expired')",
        )
        .run(runId);
      database
        .prepare(
          `update runs set status = 'queued', status_reason = null, last_seq = 1, turns = 0, tool_calls = 0, usage = null, answer = null, output = null, repaired_turn = null, cut_turns = 0,
           error = null, model_outage = null, retry_at = null, deadline_at = null, waited_ms = 0, waiting_since = null, started_at = null, finished_at = null where id = ?`,
        )
        .run(runId);
    })();
  } finally {
    database.close();
  }
}
