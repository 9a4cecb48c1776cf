import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * An index of the planned and sent calls by owner, and by the time at which those without an owner are
 * due. With it, a sweep reads none of the calls that wait for an approval.
 */
export const callsByOwner: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index calls_by_owner on tool_calls (owner, (coalesce(due_at, 0)), id)
      where finished_at is null and state <> 'awaiting_approval'`.execute(db);
  },
};
