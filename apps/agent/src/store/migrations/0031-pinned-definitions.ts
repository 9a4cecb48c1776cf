import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The definitions behind the digests of pins, to show what changed. Pins that exist have none before their server is read again. */
export const pinnedDefinitions: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('tool_pins').addColumn('definition', 'text').execute();
  },
};
