import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Earlier secrets of webhooks that are still valid, as JSON, and audit entries about webhooks. */
export const webhookChanges: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('webhooks').addColumn('earlier_secrets', 'text').execute();
    await db.schema.alterTable('audit').addColumn('webhook_id', 'text').execute();
  },
};
