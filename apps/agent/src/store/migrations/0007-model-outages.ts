import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Runs that wait for a model to recover. */
export const modelOutages: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('runs').addColumn('model_outage', 'text').execute();
  },
};
