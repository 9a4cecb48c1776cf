import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Webhooks, and the outbox of their deliveries. */
export const webhooks: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('webhooks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('event_types', 'text', (column) => column.notNull())
      .addColumn('description', 'text')
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('disabled_at', 'bigint')
      .addColumn('deleted_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('webhook_id', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('earlier_attempts', 'integer', (column) => column.notNull())
      .addColumn('next_at', 'bigint')
      .addColumn('owner', 'text')
      .addColumn('last_status', 'integer')
      .addColumn('last_error', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_by_event')
      .on('webhook_deliveries')
      .columns(['run_id', 'seq', 'webhook_id'])
      .unique()
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_by_webhook')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'created_at', 'id'])
      .execute();
    await sql`create index due_webhook_deliveries on webhook_deliveries (webhook_id, next_at)
      where next_at is not null`.execute(db);
    await sql`create index ended_webhook_deliveries on webhook_deliveries (finished_at)
      where finished_at is not null`.execute(db);
  },
};
