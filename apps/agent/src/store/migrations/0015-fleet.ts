import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** States of the servers on each worker, settings of servers, and commands and jobs for workers. */
export const fleet: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('listed_tools')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('tools', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('server_states')
      .addColumn('worker_id', 'text', (column) => column.notNull())
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('is_offering', 'integer', (column) => column.notNull())
      .addColumn('capabilities', 'text')
      .addColumn('tools_digest', 'text', (column) =>
        column.notNull().references('listed_tools.digest'),
      )
      .addPrimaryKeyConstraint('server_states_key', ['worker_id', 'server'])
      .execute();
    await db.schema
      .createIndex('server_states_by_tools')
      .on('server_states')
      .column('tools_digest')
      .execute();
    await db.schema
      .createTable('server_settings')
      .addColumn('server', 'text', (column) => column.primaryKey())
      .addColumn('roots', 'text')
      .addColumn('is_drained', 'integer', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('fleet_requests')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('worker_id', 'text', (column) => column.notNull())
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('params', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('answer', 'text')
      .execute();
    await db.schema
      .createTable('handed_jobs')
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('handed_jobs_key', ['type', 'subject'])
      .execute();
    await sql`create index open_fleet_requests on fleet_requests (worker_id, id)
      where answer is null`.execute(db);
  },
};
