import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Time at which a tool call was sent, and indexes with everything that the statistics of latencies
 * read. Calls that exist have no such time and are not counted.
 */
export const latencies: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('tool_calls').addColumn('sent_at', 'bigint').execute();
    await sql`create index call_latencies on tool_calls (sent_at, id, finished_at, state)
      where sent_at is not null and finished_at is not null`.execute(db);
    await sql`create index turn_latencies on turns (started_at, message_id, ended_at)
      where status = 'completed'`.execute(db);
  },
};
