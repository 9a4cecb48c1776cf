import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** API keys of runs, with an index for the last start of a key. */
export const apiKeys: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('runs')
      .addColumn('api_key', 'text', (column) => column.notNull().defaultTo('anonymous'))
      .execute();
    await sql`create index runs_by_key_and_start on runs (api_key, started_at)
      where started_at is not null`.execute(db);
  },
};
