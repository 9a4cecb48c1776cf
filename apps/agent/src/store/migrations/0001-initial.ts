import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The first tables. */
export const initial: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('runs')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('status_reason', 'text')
      .addColumn('prompt', 'text', (column) => column.notNull())
      .addColumn('servers', 'text')
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('scripted', 'integer', (column) => column.notNull())
      .addColumn('limits', 'text', (column) => column.notNull())
      .addColumn('last_seq', 'integer', (column) => column.notNull())
      .addColumn('turns', 'integer', (column) => column.notNull())
      .addColumn('tool_calls', 'integer', (column) => column.notNull())
      .addColumn('usage', 'text')
      .addColumn('answer', 'text')
      .addColumn('error', 'text')
      .addColumn('waited_ms', 'bigint', (column) => column.notNull())
      .addColumn('waiting_since', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('finished_at', 'bigint')
      .execute();
    await db.schema.createIndex('runs_by_time').on('runs').columns(['created_at', 'id']).execute();
    await db.schema
      .createIndex('runs_by_status')
      .on('runs')
      .columns(['status', 'created_at', 'id'])
      .execute();

    await db.schema
      .createTable('events')
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('seq', 'integer', (column) => column.notNull())
      .addColumn('type', 'text', (column) => column.notNull())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('events_key', ['run_id', 'seq'])
      .execute();

    await db.schema
      .createTable('messages')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('turn', 'integer', (column) => column.notNull())
      .addColumn('role', 'text', (column) => column.notNull())
      .addColumn('content', 'text', (column) => column.notNull())
      .addColumn('native', 'text')
      .addUniqueConstraint('messages_in_order', ['run_id', 'position'])
      .execute();

    await db.schema
      .createTable('turns')
      .addColumn('message_id', 'text', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('turn', 'integer', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .addColumn('ended_at', 'bigint')
      .execute();
    await db.schema.createIndex('turns_by_run').on('turns').columns(['run_id', 'status']).execute();

    await db.schema
      .createTable('partials')
      .addColumn('run_id', 'text', (column) =>
        column.primaryKey().references('runs.id').onDelete('cascade'),
      )
      .addColumn('message_id', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .execute();

    await db.schema
      .createTable('tool_calls')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('turn', 'integer', (column) => column.notNull())
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('tool_use_id', 'text', (column) => column.notNull())
      .addColumn('wire_name', 'text', (column) => column.notNull())
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('tool', 'text', (column) => column.notNull())
      .addColumn('arguments', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('attempt', 'integer', (column) => column.notNull())
      .addColumn('owner', 'text')
      .addColumn('idempotency_key', 'text', (column) => column.notNull())
      .addColumn('repeatable', 'integer', (column) => column.notNull())
      .addColumn('result', 'text')
      .addColumn('error', 'text')
      .addColumn('cancel', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .addUniqueConstraint('tool_calls_in_order', ['run_id', 'turn', 'position'])
      .execute();
    await db.schema
      .createIndex('tool_calls_by_state')
      .on('tool_calls')
      .columns(['run_id', 'state'])
      .execute();

    await db.schema
      .createTable('inbox_items')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('call_id', 'text', (column) =>
        column.references('tool_calls.id').onDelete('cascade'),
      )
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('response', 'text')
      .addColumn('owner', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('answered_at', 'bigint')
      .execute();
    await db.schema
      .createIndex('inbox_by_run')
      .on('inbox_items')
      .columns(['run_id', 'state'])
      .execute();
    await db.schema
      .createIndex('inbox_by_state')
      .on('inbox_items')
      .columns(['state', 'created_at'])
      .execute();

    await db.schema
      .createTable('boots')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('pid', 'integer', (column) => column.notNull())
      .addColumn('started_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
