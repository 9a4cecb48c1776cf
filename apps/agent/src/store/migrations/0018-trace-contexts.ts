import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Trace context of the request for a run, which the workers continue. */
export const traceContexts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('runs').addColumn('trace_context', 'text').execute();
  },
};
