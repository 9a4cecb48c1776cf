import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Priorities of runs and of the jobs that API processes hand over. */
export const priorities: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('runs')
      .addColumn('priority', 'text', (column) => column.notNull().defaultTo('normal'))
      .execute();
    await db.schema
      .alterTable('handed_jobs')
      .addColumn('priority', 'text', (column) => column.notNull().defaultTo('normal'))
      .execute();
    await db.schema
      .alterTable('handed_jobs')
      .addColumn('place', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
