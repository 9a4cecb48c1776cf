import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** What the loop makes of a run, by the column that names the run. Artifacts stay: earlier results speak of them. */
const MADE_BY_THE_LOOP = [
  'tool_calls',
  'inbox_items',
  'turns',
  'partials',
  'epochs',
  'catalogues',
  'sampling_counts',
];

/** Puts a settled run back to its beginning and ends every other one. Only for a copy of a database, which nobody has open. */
export function rewindRun(dataDir: string, runId: string): void {
  const database = new Sqlite(join(dataDir, 'signalbox.sqlite'));
  try {
    // Artifacts belong to calls that are taken away here.
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
          "update runs set status = 'cancelled' where id <> ? and status not in ('completed', 'failed', 'cancelled', 'expired')",
        )
        .run(runId);
      database
        .prepare(
          `update runs set status = 'queued', status_reason = null, last_seq = 1, turns = 0, tool_calls = 0, usage = null, answer = null, output = null, repaired_turn = null, cut_turns = 0,
           error = null, model_outage = null, waited_ms = 0, waiting_since = null, started_at = null, finished_at = null where id = ?`,
        )
        .run(runId);
    })();
  } finally {
    database.close();
  }
}
