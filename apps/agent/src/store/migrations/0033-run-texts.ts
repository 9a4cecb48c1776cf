import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Texts in which runs are searched, and the end of the run that its text covers. -1 marks a run
 * without a text: every run that exists, and those of processes of earlier versions. The sweep finds
 * these runs by the index and stores their texts.
 */
export const runTexts: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('run_texts')
      .addColumn('run_id', 'text', (column) =>
        column.primaryKey().references('runs.id').onDelete('cascade'),
      )
      .addColumn('run_created_at', 'bigint', (column) => column.notNull())
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('outcome', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('run_texts_by_time')
      .on('run_texts')
      .columns(['run_created_at', 'run_id'])
      .execute();
    await db.schema
      .alterTable('runs')
      .addColumn('text_covers_end', 'bigint', (column) => column.defaultTo(-1))
      .execute();
    await sql`create index runs_without_text on runs (created_at, id)
      where text_covers_end is distinct from finished_at`.execute(db);
  },
};
