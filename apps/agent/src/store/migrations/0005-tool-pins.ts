import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Pinned tool definitions. */
export const toolPins: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('tool_pins')
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('parts', 'text', (column) => column.notNull())
      .addColumn('first_seen_at', 'bigint', (column) => column.notNull())
      .addColumn('accepted_at', 'bigint')
      .addPrimaryKeyConstraint('tool_pins_key', ['server', 'tool'])
      .execute();
  },
};
