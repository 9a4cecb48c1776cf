import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely } from 'kysely';
import type pg from 'pg';
import { systemClock } from '../../system/system-clock.ts';
import type { Database } from '../database.ts';
import type { Migrations } from '../migrations/migrations.ts';
import { migrate, tablesOf } from '../migrations/migrate.ts';
import { StoreError } from '../store-error.ts';
import { TABLES } from '../tables.ts';
import { lockDatabase, type DatabaseLock, type Sharing } from './database-lock.ts';
import { DdlDialect } from './ddl-dialect.ts';
import { createClient, type PostgresOptions } from './postgres-client.ts';
import { codeOf, DEADLOCK, LOCK_TIMEOUT, reasonOf } from './postgres-errors.ts';
import { ServerClock } from './server-clock.ts';

/** A database with the tables of this version. */
export interface OpenedDatabase {
  /** Connection that holds the lock. */
  readonly client: pg.Client;
  readonly lock: DatabaseLock;
  readonly schema: string;
  readonly serverClock: ServerClock;
}

export interface OpeningOptions {
  readonly sharing: Sharing;
  /** Address without password, for error texts. */
  readonly name: string;
  /** Migrations of a later version, for tests. */
  readonly furtherMigrations?: Migrations | undefined;
}

/**
 * Longest wait of a migration for the transactions of other processes, whose next transactions wait
 * behind it.
 */
const MAX_BLOCKING = '1s';
/** Attempts of a migration whose waits were too long. */
const MAX_ATTEMPTS = 60;
const PAUSE_MS = 500;

/** Connects to a database, locks it and brings its tables up to date. @throws StoreError */
export async function openDatabase(
  options: PostgresOptions,
  { sharing, name, furtherMigrations }: OpeningOptions,
): Promise<OpenedDatabase> {
  let client: pg.Client | undefined;
  try {
    client = createClient(options);
    client.on('error', () => undefined);
    await client.connect();
    const schema = await schemaOf(client);
    await checkEncoding(client, name);
    const lock = await lockDatabase(client, sharing, name);
    const db = ddlOn(client);
    if (!lock.isAlone) await client.query(`set lock_timeout = '${MAX_BLOCKING}'`);
    await withoutBlocking(() =>
      migrate(db, {
        name: `The database ${name}`,
        another: 'another database',
        schema,
        isAlone: lock.isAlone,
        growsInUse: true,
        further: furtherMigrations,
      }),
    );
    await checkTables(db, schema, name);
    const serverClock = new ServerClock(systemClock);
    await serverClock.measure(client);
    return { client, lock, schema, serverClock };
  } catch (error) {
    await client?.end().catch(() => undefined);
    throw unusable(error, name);
  }
}

/** Returns the error of a database that cannot be opened, without its password. */
export function unusable(error: unknown, name: string): StoreError {
  if (error instanceof StoreError) return error;
  // Without the cause, which can contain the address with its password.
  return new StoreError(
    'unusable',
    `The database ${name} cannot be opened (${reasonOf(error)}). Is the server running, and is DATABASE_URL correct?`,
  );
}

/** Repeats a migration that waited too long for other processes, so that they can go on in between. */
async function withoutBlocking(migration: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migration();
    } catch (error) {
      const isBlocked =
        error instanceof StoreError && [LOCK_TIMEOUT, DEADLOCK].includes(codeOf(error.cause));
      if (!isBlocked || attempt === MAX_ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** Returns the schema in which tables are created. */
export async function schemaOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string | null }>('select current_schema() as name');
  const schema = rows[0]?.name;
  if (schema == null) throw new Error('its search_path names no schema that exists');
  return schema;
}

/** Refuses a database that cannot store every text, or counts bytes instead of characters. */
async function checkEncoding(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    'select pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()',
  );
  const encoding = rows[0]?.encoding;
  if (encoding === 'UTF8') return;
  throw new StoreError(
    'unusable',
    `The database ${name} has the encoding ${String(encoding)}. Create one with the encoding UTF8: create database NAME encoding 'UTF8' template template0.`,
  );
}

/** Creates the builder of tables on one connection. */
export function ddlOn(client: pg.Client): Kysely<Database> {
  const queries = {
    query: (text: string, values: readonly unknown[]) => client.query(text, [...values]),
    release: () => undefined,
  };
  // The declared type of a client has cursors too, which migrations do not use.
  const pool = {
    connect: async () => queries as never,
    end: async () => undefined,
    options: {},
  };
  return new Kysely<Database>({ dialect: new DdlDialect({ pool }) });
}

async function checkTables(db: Kysely<Database>, schema: string, name: string): Promise<void> {
  const present = await tablesOf(db, schema);
  const missing = TABLES.filter((table) => !present.has(table));
  if (missing.length === 0) return;
  throw new StoreError(
    'unusable',
    `The database ${name} is damaged: it has no table ${missing.join(', ')}. Restore it from a copy, or choose another database.`,
  );
}
