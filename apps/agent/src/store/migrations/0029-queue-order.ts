import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * An index of the queued runs of each API key in the order in which they begin. The expression is the
 * time at which the patience of a run ends.
 */
export const queueOrder: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index queued_runs on runs (
      api_key,
      (created_at + case priority when 'high' then 0 when 'low' then 3600000 else 600000 end),
      created_at,
      id
    ) where status = 'queued'`.execute(db);
  },
};
