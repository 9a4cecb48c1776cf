import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** API keys in the audit log. Earlier entries have none. */
export const auditKeys: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('audit').addColumn('api_key', 'text').execute();
  },
};
