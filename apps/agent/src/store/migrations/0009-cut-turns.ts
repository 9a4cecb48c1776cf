import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Counter of model messages truncated within the arguments of a call. */
export const cutTurns: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('runs')
      .addColumn('cut_turns', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
