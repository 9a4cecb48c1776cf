import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Schedules of runs. */
export const schedules: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('schedules')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text')
      .addColumn('cron', 'text', (column) => column.notNull())
      .addColumn('time_zone', 'text', (column) => column.notNull())
      .addColumn('run', 'text', (column) => column.notNull())
      .addColumn('on_busy', 'text', (column) => column.notNull())
      .addColumn('enabled', 'integer', (column) => column.notNull())
      .addColumn('next_at', 'bigint')
      .addColumn('last_at', 'bigint')
      .addColumn('last_outcome', 'text')
      .addColumn('last_run_id', 'text')
      .addColumn('last_error', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute();
    await sql`create index due_schedules on schedules (next_at, id)
      where next_at is not null`.execute(db);
  },
};
