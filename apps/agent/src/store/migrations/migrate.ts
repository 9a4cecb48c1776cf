import { sql, type Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator, type Migration } from 'kysely/migration';
import type { Database } from '../database.ts';
import { StoreError } from '../store-error.ts';
import { initial } from './0001-initial.ts';
import { parkedCalls } from './0002-parked-calls.ts';
import { conversations } from './0003-conversations.ts';
import { approvals } from './0004-approvals.ts';
import { toolPins } from './0005-tool-pins.ts';
import { epochs } from './0006-epochs.ts';
import { modelOutages } from './0007-model-outages.ts';
import { lists } from './0008-lists.ts';
import { cutTurns } from './0009-cut-turns.ts';
import { callCancellation } from './0010-call-cancellation.ts';
import { artifactOwners } from './0011-artifact-owners.ts';
import { retries } from './0012-retries.ts';
import { modelSettings } from './0013-model-settings.ts';
import { workers } from './0014-workers.ts';
import { fleet } from './0015-fleet.ts';
import { artifactLists } from './0016-artifact-lists.ts';
import { callFailures } from './0017-call-failures.ts';
import { traceContexts } from './0018-trace-contexts.ts';
import { webhooks } from './0019-webhooks.ts';
import { schedules } from './0020-schedules.ts';

/** All migrations by number. A published migration never changes. */
const MIGRATIONS: { readonly [name: string]: Migration } = {
  '0001-initial': initial,
  '0002-parked-calls': parkedCalls,
  '0003-conversations': conversations,
  '0004-approvals': approvals,
  '0005-tool-pins': toolPins,
  '0006-epochs': epochs,
  '0007-model-outages': modelOutages,
  '0008-lists': lists,
  '0009-cut-turns': cutTurns,
  '0010-call-cancellation': callCancellation,
  '0011-artifact-owners': artifactOwners,
  '0012-retries': retries,
  '0013-model-settings': modelSettings,
  '0014-workers': workers,
  '0015-fleet': fleet,
  '0016-artifact-lists': artifactLists,
  '0017-call-failures': callFailures,
  '0018-trace-contexts': traceContexts,
  '0019-webhooks': webhooks,
  '0020-schedules': schedules,
};

/** A database that may lack the latest tables. */
export interface MigratedDatabase {
  /** Beginning of error texts, such as `The database in DIRECTORY`. */
  readonly name: string;
  /** Remedy in error texts, such as `another data directory`. */
  readonly another: string;
  /** Schema of the tables, in a database that has schemas. */
  readonly schema?: string;
  /** Whether no other process uses the database. */
  readonly isAlone: boolean;
}

/**
 * Migrates the database to this version's tables.
 * @throws StoreError `newer_database` when a later version wrote it, `locked` when other processes
 * use the tables of an earlier version, `unusable` when a migration fails
 */
export async function migrate(
  db: Kysely<Database>,
  { isAlone, ...database }: MigratedDatabase,
): Promise<void> {
  if (await hasEveryMigration(db, database)) return;
  const { name, schema } = database;
  if (!isAlone)
    throw new StoreError(
      'locked',
      `${name} must be brought up to date while no other process uses it. Stop the processes of the earlier version first.`,
    );
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...MIGRATIONS }) },
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined)
    throw new StoreError('unusable', `${name} could not be brought up to date.`, { cause: error });
}

/**
 * Whether the database has this version's tables. Changes nothing.
 * @throws StoreError `newer_database` when a later version wrote it
 */
export async function hasEveryMigration(
  db: Kysely<Database>,
  { name, another, schema }: Omit<MigratedDatabase, 'isAlone'>,
): Promise<boolean> {
  const applied = await appliedMigrations(db, schema);
  const unknown = applied.filter((migration) => !(migration in MIGRATIONS));
  if (unknown.length > 0) {
    throw new StoreError(
      'newer_database',
      `${name} was written by a newer version of Signalbox (it has migration ${unknown.join(', ')}). ` +
        `Run that version, or choose ${another}.`,
    );
  }
  return applied.length === Object.keys(MIGRATIONS).length;
}

async function appliedMigrations(
  db: Kysely<Database>,
  schema: string | undefined,
): Promise<readonly string[]> {
  if (!(await tablesOf(db, schema)).has(DEFAULT_MIGRATION_TABLE)) return [];
  const rows = await db
    .withTables<{ [DEFAULT_MIGRATION_TABLE]: { name: string } }>()
    .selectFrom(DEFAULT_MIGRATION_TABLE)
    .select('name')
    .execute();
  return rows.map((row) => row.name);
}

/** Returns the names of the tables in a schema, or in a database without schemas. */
export async function tablesOf(
  db: Kysely<Database>,
  schema: string | undefined,
): Promise<ReadonlySet<string>> {
  const query =
    schema === undefined
      ? sql<{ name: string }>`select name from sqlite_schema where type = 'table'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = ${schema}`;
  const { rows } = await query.execute(db);
  return new Set(rows.map(({ name }) => name));
}
