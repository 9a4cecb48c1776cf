import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isSqlite } from './is-sqlite.ts';

/** Processes with heartbeats, stored deadlines, and indexes for the regular sweep. */
export const workers: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('workers')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('pid', 'integer', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('heartbeat_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .execute();
    // Whatever is in progress belongs to a process that has ended.
    await sql`insert into workers (id, role, pid, started_at, heartbeat_at, ended_at)
      select owner, 'all', 0, 0, 0, 0 from turns where status = 'active'
      union select owner, 'all', 0, 0, 0, 0 from tool_calls
        where finished_at is null and owner is not null
      union select owner, 'all', 0, 0, 0, 0 from inbox_items
        where state in ('open', 'answered') and owner is not null`.execute(db);
    await db.schema.dropTable('boots').execute();

    await db.schema.alterTable('runs').addColumn('deadline_at', 'bigint').execute();
    if (isSqlite(db))
      await sql`update runs set deadline_at =
        coalesce(started_at, created_at) + json_extract(limits, '$.wallClockMs') + waited_ms
      where status = 'running' and json_valid(limits)`.execute(db);
    await sql`create index runs_by_deadline on runs (deadline_at)
      where deadline_at is not null`.execute(db);
    await sql`create index open_inbox_by_expiry on inbox_items (expires_at)
      where state = 'open'`.execute(db);
    await sql`create index held_inbox_items on inbox_items (owner)
      where owner is not null and state in ('open', 'answered')`.execute(db);

    await db.schema.alterTable('tool_calls').addColumn('due_at', 'bigint').execute();
    await sql`create index open_tool_calls on tool_calls (state, owner)
      where finished_at is null`.execute(db);
  },
};
