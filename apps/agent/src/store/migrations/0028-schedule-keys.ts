import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** API keys of schedules. Those that exist keep starting runs of the key `anonymous`. */
export const scheduleKeys: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('schedules')
      .addColumn('api_key', 'text', (column) => column.notNull().defaultTo('anonymous'))
      .execute();
  },
};
