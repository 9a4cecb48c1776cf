import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Calls of servers with a rate limit: those of the last minute, and those that wait. */
export const callRates: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('rated_calls')
      .addColumn('call_id', 'text', (column) => column.notNull())
      .addColumn('attempt', 'bigint', (column) => column.notNull())
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('arrived_at', 'bigint', (column) => column.notNull())
      .addColumn('sent_at', 'bigint')
      .addPrimaryKeyConstraint('rated_calls_key', ['call_id', 'attempt'])
      .execute();
    await db.schema
      .createIndex('rated_calls_by_server')
      .on('rated_calls')
      .columns(['server', 'sent_at', 'arrived_at'])
      .execute();
  },
};
