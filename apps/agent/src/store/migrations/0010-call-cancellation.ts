import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Requests to cancel one call, which outlive the process that received them. */
export const callCancellation: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('tool_calls').addColumn('cancel_requested_at', 'bigint').execute();
  },
};
