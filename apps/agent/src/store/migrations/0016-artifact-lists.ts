import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Index with everything that a list of artifacts shows, so that it reads none of their content. */
export const artifactLists: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('artifact_lists')
      .on('artifacts')
      .columns(['id', 'run_id', 'call_id', 'media_type', 'bytes', 'original_bytes', 'created_at'])
      .execute();
  },
};
