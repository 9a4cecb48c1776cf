import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Calls that outlive the process that sent them: calls that wait for input responses, and tasks.
 */
export const parkedCalls: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('tool_calls').addColumn('parked', 'text').execute();
    await db.schema.alterTable('tool_calls').addColumn('task_id', 'text').execute();
    await db.schema.alterTable('inbox_items').addColumn('question_key', 'text').execute();
    await db.schema
      .createIndex('inbox_by_call')
      .on('inbox_items')
      .columns(['call_id', 'question_key'])
      .execute();
  },
};
