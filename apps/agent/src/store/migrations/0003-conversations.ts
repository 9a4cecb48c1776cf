import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Threads, stored agents, forks and calls without a model; idempotency keys; artifacts. */
export const conversations: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('runs')
      .addColumn('kind', 'text', (column) => column.notNull().defaultTo('agent'))
      .execute();
    await db.schema.alterTable('runs').addColumn('thread_id', 'text').execute();
    await db.schema.alterTable('runs').addColumn('thread_position', 'integer').execute();
    await db.schema.alterTable('runs').addColumn('agent_id', 'text').execute();
    await db.schema.alterTable('runs').addColumn('instructions', 'text').execute();
    await db.schema
      .alterTable('runs')
      .addColumn('metadata', 'text', (column) => column.notNull().defaultTo(sql`'{}'`))
      .execute();
    await db.schema.alterTable('runs').addColumn('forked_from', 'text').execute();
    await db.schema
      .createIndex('runs_by_thread')
      .on('runs')
      .columns(['thread_id', 'thread_position'])
      .unique()
      .execute();
    await db.schema
      .createIndex('runs_by_agent')
      .on('runs')
      .columns(['agent_id', 'created_at', 'id'])
      .execute();

    await db.schema
      .createTable('threads')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('title', 'text')
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('threads_by_time')
      .on('threads')
      .columns(['created_at', 'id'])
      .execute();

    await db.schema
      .createTable('agents')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('instructions', 'text')
      .addColumn('model', 'text')
      .addColumn('servers', 'text')
      .addColumn('limits', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('agents_by_time')
      .on('agents')
      .columns(['created_at', 'id'])
      .execute();

    // No reference to the run: the key stays used after the run is deleted, so that a late retry has no effect.
    await db.schema
      .createTable('idempotency_keys')
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('request_sha256', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text')
      .addColumn('response', 'text')
      .addColumn('is_done', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('idempotency_keys_key', ['principal', 'key'])
      .execute();
    await db.schema
      .createIndex('idempotency_keys_by_time')
      .on('idempotency_keys')
      .column('created_at')
      .execute();
    await db.schema
      .createIndex('idempotency_keys_by_run')
      .on('idempotency_keys')
      .column('run_id')
      .execute();

    await db.schema
      .createTable('artifacts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('call_id', 'text', (column) =>
        column.notNull().references('tool_calls.id').onDelete('cascade'),
      )
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('original_bytes', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('artifacts_by_run').on('artifacts').column('run_id').execute();
    await db.schema.createIndex('artifacts_by_call').on('artifacts').column('call_id').execute();
  },
};
