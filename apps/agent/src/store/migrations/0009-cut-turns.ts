import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Messages of the model that were cut in the arguments of a call. */
export const cutTurns: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('runs')
      .addColumn('cut_turns', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
