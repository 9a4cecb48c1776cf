import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Number of failures to send or to continue a call, counted over all workers. */
export const callFailures: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('tool_calls')
      .addColumn('failures', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
