import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Settings of the model calls of runs and agents. NULL: the defaults of the model. */
export const modelSettings: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['runs', 'agents'])
      await db.schema.alterTable(table).addColumn('model_settings', 'text').execute();
  },
};
