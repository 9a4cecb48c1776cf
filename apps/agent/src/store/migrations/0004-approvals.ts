import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Approval bindings, remembered approvals, the audit, and sampling counts. */
export const approvals: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('inbox_items').addColumn('binding', 'text').execute();
    await db.schema.alterTable('tool_calls').addColumn('model_arguments', 'text').execute();

    await db.schema
      .createTable('remembered_approvals')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('thread_id', 'text')
      .addColumn('item_id', 'text', (column) => column.notNull())
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('server_digest', 'text', (column) => column.notNull())
      .addColumn('tool_digest', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('remembered_by_run')
      .on('remembered_approvals')
      .column('run_id')
      .execute();
    await db.schema
      .createIndex('remembered_by_thread')
      .on('remembered_approvals')
      .column('thread_id')
      .execute();

    // No reference to the run: audit entries outlive it.
    await db.schema
      .createTable('audit')
      .addColumn('seq', 'integer', (column) => column.primaryKey().autoIncrement())
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
    await db.schema.createIndex('audit_by_run').on('audit').columns(['run_id', 'seq']).execute();

    await db.schema
      .createTable('sampling_counts')
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('requests', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('sampling_counts_key', ['run_id', 'server'])
      .execute();
  },
};
