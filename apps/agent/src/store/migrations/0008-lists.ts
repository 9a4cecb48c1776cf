import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Indexes for the open items of a run and for pages of the inbox; short forms of long requests. */
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
