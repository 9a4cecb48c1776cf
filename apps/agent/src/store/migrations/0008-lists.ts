import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Indexes by which the open items of one run, and pages of the inbox, are found without reading others; short forms of long questions. */
export const lists: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('inbox_items').addColumn('preview', 'text').execute();
    await db.schema.dropIndex('inbox_by_run').execute();
    await db.schema.dropIndex('inbox_by_state').execute();
    await db.schema
      .createIndex('inbox_by_run')
      .on('inbox_items')
      .columns(['run_id', 'state', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('inbox_by_state')
      .on('inbox_items')
      .columns(['state', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('inbox_by_time')
      .on('inbox_items')
      .columns(['created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('remembered_by_time')
      .on('remembered_approvals')
      .columns(['created_at', 'id'])
      .execute();
  },
};
