import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Epochs and catalogues of runs; answers with an output schema. */
export const epochs: Migration = {
  async up(db: Kysely<unknown>) {
    // Equal tools of several runs are stored once.
    await db.schema
      .createTable('tool_sets')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('tools', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('epochs')
      .addColumn('run_id', 'text', (column) =>
        column.primaryKey().references('runs.id').onDelete('cascade'),
      )
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('system', 'text', (column) => column.notNull())
      .addColumn('tools_digest', 'text', (column) => column.notNull())
      .addColumn('policies', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('catalogues')
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('turn', 'integer', (column) => column.notNull())
      .addColumn('point', 'text', (column) => column.notNull())
      .addColumn('tools_digest', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('catalogues_key', ['run_id', 'turn', 'point'])
      .execute();
    await db.schema.createIndex('epochs_by_tools').on('epochs').column('tools_digest').execute();
    await db.schema
      .createIndex('catalogues_by_tools')
      .on('catalogues')
      .column('tools_digest')
      .execute();

    await db.schema.alterTable('runs').addColumn('output_schema', 'text').execute();
    await db.schema.alterTable('runs').addColumn('output', 'text').execute();
    await db.schema.alterTable('runs').addColumn('repaired_turn', 'integer').execute();
  },
};
