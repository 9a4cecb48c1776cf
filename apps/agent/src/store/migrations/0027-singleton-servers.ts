import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Owners of the singleton servers, and the addressees of handed jobs. */
export const singletonServers: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('server_owners')
      .addColumn('server', 'text', (column) => column.primaryKey())
      .addColumn('worker_id', 'text', (column) => column.notNull())
      .addColumn('claimed_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.alterTable('handed_jobs').addColumn('worker_id', 'text').execute();
  },
};
