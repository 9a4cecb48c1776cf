import { sql, type Kysely } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import type { Database } from '../database.ts';
import { messageOf } from '../../text/error-text.ts';
import { StoreError } from '../store-error.ts';
import { isAdditive, MIGRATIONS } from './all-migrations.ts';
import type { Migrations } from './migrations.ts';

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
  /** Whether additive migrations are allowed while other processes use the database. */
  readonly growsInUse: boolean;
  /** Migrations of a later version, for tests. Default: none. */
  readonly further?: Migrations | undefined;
}

/**
 * Migrates the database to this version's tables. Accepts a database that a later version has
 * migrated if its further migrations are additive.
 * @throws StoreError `newer_database` when a later version wrote it, `locked` when other processes
 * use the tables of an earlier version, `unusable` when a migration fails
 */
export async function migrate(
  db: Kysely<Database>,
  { isAlone, growsInUse, ...database }: MigratedDatabase,
): Promise<void> {
  const { name, schema, further } = database;
  const missing = await missingMigrations(db, database);
  if (missing.length === 0) return;
  const needsStop = growsInUse ? missing.filter((migration) => !isAdditive(migration)) : missing;
  if (!isAlone && needsStop.length > 0)
    throw new StoreError(
      'locked',
      `${name} must be brought up to date while no other process uses it (migration ${needsStop.join(', ')}). Stop the processes of the earlier version first.`,
    );
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...MIGRATIONS, ...further }) },
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined)
    throw new StoreError(
      'unusable',
      `${name} could not be brought up to date (${messageOf(error)}).`,
      { cause: error },
    );
}

/**
 * Returns the migrations of this version that the database lacks. Changes nothing.
 * @throws StoreError `newer_database` when a later version migrated it, and not only with additive
 * migrations
 */
export async function missingMigrations(
  db: Kysely<Database>,
  { name, another, schema, further }: Omit<MigratedDatabase, 'isAlone' | 'growsInUse'>,
): Promise<readonly string[]> {
  const known = Object.keys({ ...MIGRATIONS, ...further });
  const applied = await appliedMigrations(db, schema);
  const newer = applied.filter((migration) => !known.includes(migration) && !isAdditive(migration));
  if (newer.length > 0) {
    throw new StoreError(
      'newer_database',
      `${name} was written by a newer version of Signalbox (it has migration ${newer.join(', ')}). ` +
        `Run that version, or choose ${another}.`,
    );
  }
  return known.filter((migration) => !applied.includes(migration));
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
