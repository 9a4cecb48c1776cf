import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isSqlite } from './is-sqlite.ts';

/**
 * Indexes that a step of a run changes less often: one index of the open calls instead of two of
 * which one has all calls, turns by run without their status, and audit numbers without
 * AUTOINCREMENT, since no entry is ever deleted.
 */
export const fewerIndexWrites: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.dropIndex('tool_calls_by_state').execute();
    await db.schema.dropIndex('open_tool_calls').execute();
    await sql`create index open_tool_calls on tool_calls (run_id, state, owner)
      where finished_at is null`.execute(db);
    await db.schema.dropIndex('turns_by_run').execute();
    await db.schema.createIndex('turns_by_run').on('turns').column('run_id').execute();
    if (!isSqlite(db)) return;
    await db.schema
      .createTable('numbered_audit')
      .addColumn('seq', 'integer', (column) => column.primaryKey())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('who', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('call_id', 'text')
      .addColumn('item_id', 'text')
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('server', 'text')
      .addColumn('tool', 'text')
      .addColumn('arguments_sha256', 'text')
      .addColumn('decision', 'text')
      .addColumn('outcome', 'text')
      .execute();
    await sql`insert into numbered_audit
      (seq, at, who, run_id, call_id, item_id, kind, server, tool, arguments_sha256, decision, outcome)
      select seq, at, who, run_id, call_id, item_id, kind, server, tool, arguments_sha256, decision, outcome
      from audit`.execute(db);
    await db.schema.dropTable('audit').execute();
    await db.schema.alterTable('numbered_audit').renameTo('audit').execute();
    await db.schema.createIndex('audit_by_run').on('audit').columns(['run_id', 'seq']).execute();
  },
};
