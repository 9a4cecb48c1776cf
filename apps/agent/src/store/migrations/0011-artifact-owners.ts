import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

interface Columns {
  readonly id: string;
  readonly run_id: string;
  readonly call_id: string;
  readonly media_type: string;
  readonly text: string;
  readonly bytes: number;
  readonly original_bytes: number;
  readonly created_at: number;
}

interface Tables {
  readonly artifacts: Columns;
  readonly new_artifacts: Columns;
  readonly artifact_owners: { readonly run_id: string; readonly artifact_id: string };
}

/** Binary artifacts, and artifacts with several owners: a fork keeps those of its source run. */
export const artifactOwners: Migration = {
  async up(db: Kysely<Tables>) {
    await db.schema
      .createTable('new_artifacts')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('call_id', 'text', (column) => column.notNull())
      .addColumn('media_type', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('data', 'blob')
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('original_bytes', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await db
      .insertInto('new_artifacts')
      .columns([
        'id',
        'run_id',
        'call_id',
        'media_type',
        'text',
        'bytes',
        'original_bytes',
        'created_at',
      ])
      .expression((from) =>
        from
          .selectFrom('artifacts')
          .select((row) => [
            'id',
            'run_id',
            'call_id',
            row.val('text/plain').as('media_type'),
            'text',
            'bytes',
            'original_bytes',
            'created_at',
          ]),
      )
      .execute();
    await db.schema.dropTable('artifacts').execute();
    await db.schema.alterTable('new_artifacts').renameTo('artifacts').execute();
    await db.schema
      .createTable('artifact_owners')
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('artifact_id', 'text', (column) =>
        column.notNull().references('artifacts.id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('artifact_owners_key', ['run_id', 'artifact_id'])
      .execute();
    await db.schema
      .createIndex('artifact_owners_by_artifact')
      .on('artifact_owners')
      .column('artifact_id')
      .execute();
    await db
      .insertInto('artifact_owners')
      .columns(['run_id', 'artifact_id'])
      .expression((from) => from.selectFrom('artifacts').select(['run_id', 'id as artifact_id']))
      .execute();
  },
};
