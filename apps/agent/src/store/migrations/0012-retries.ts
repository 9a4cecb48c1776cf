import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isSqlite } from './is-sqlite.ts';

/** Deadlines of model retries with an index, and at most one active attempt per run. */
export const retries: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('runs').addColumn('retry_at', 'bigint').execute();
    if (isSqlite(db))
      await sql`update runs set retry_at = json_extract(model_outage, '$.nextAttemptAt')
      where status = 'running' and json_valid(model_outage)`.execute(db);
    await sql`create index runs_by_retry on runs (retry_at, id)
      where retry_at is not null`.execute(db);
    if (isSqlite(db))
      await sql`update turns set status = 'interrupted', ended_at = started_at
      where status = 'active' and exists (
        select 1 from turns as later
        where later.run_id = turns.run_id and later.status = 'active' and later.rowid > turns.rowid
      )`.execute(db);
    await sql`create unique index active_turn_of_run on turns (run_id)
      where status = 'active'`.execute(db);
  },
};
