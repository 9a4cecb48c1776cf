import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type pg from 'pg';
import { systemClock } from '../../system/system-clock.ts';
import { describeDatabase } from '../../text/describe-database.ts';
import { openStore } from '../open-store.ts';
import { StoreError } from '../store-error.ts';
import { TABLES } from '../tables.ts';
import { openDatabase, unusable } from './open-database.ts';
import { toColumn } from './postgres-rows.ts';

export interface CopyOptions {
  /** Data directory that no service uses. Its database is brought up to date and not changed further. */
  readonly dataDir: string;
  /** Address of a database without runs. */
  readonly url: string;
}

/** Number of copied rows by table. */
export type CopiedRows = ReadonlyMap<string, number>;

/** Tables with the states of servers and with locks, which begin anew with the processes. */
const TRANSIENT: readonly string[] = [
  'listed_tools',
  'server_states',
  'server_settings',
  'fleet_requests',
  'handed_jobs',
  'server_owners',
  'secret_locks',
];
/** In the order of their references. */
const COPIED = TABLES.filter((table) => !TRANSIENT.includes(table));

/** Maximum number of values and of characters in one statement. */
const MAX_VALUES = 10_000;
const MAX_CHARACTERS = 1_000_000;

/**
 * Copies every row of a data directory into a PostgreSQL database, in one transaction.
 * @throws StoreError when one of them is in use or unusable, or the database has runs already
 */
export async function copyToPostgres({ dataDir, url }: CopyOptions): Promise<CopiedRows> {
  const file = join(dataDir, 'signalbox.sqlite');
  if (!existsSync(file))
    throw new StoreError(
      'unusable',
      `There is no database in ${dataDir}. Name the data directory of the service with --from.`,
    );
  const store = await openStore({ dataDir, durability: 'process', clock: systemClock });
  const source = new Sqlite(file, { readonly: true });
  const name = describeDatabase(url);
  try {
    const { client } = await openDatabase({ url }, { sharing: 'alone', name });
    try {
      return await copyAll(source, client, name);
    } catch (error) {
      throw unusable(error, name);
    } finally {
      await client.end();
    }
  } finally {
    source.close();
    await store.close();
  }
}

async function copyAll(
  source: Sqlite.Database,
  client: pg.Client,
  name: string,
): Promise<CopiedRows> {
  const copied = new Map<string, number>();
  await client.query('begin');
  for (const table of COPIED) {
    // Processes that opened the database before are in the table of workers.
    if (table !== 'workers' && (await countRows(client, table)) > 0)
      throw new StoreError(
        'unusable',
        `The database ${name} has rows in ${table} already. Name an empty database with --to.`,
      );
  }
  for (const table of COPIED) copied.set(table, await copyTable(source, client, table));
  // The process that copies is not a worker of the service.
  await client.query('update workers set ended_at = heartbeat_at where ended_at is null');
  await client.query('commit');
  return copied;
}

async function copyTable(
  source: Sqlite.Database,
  client: pg.Client,
  table: string,
): Promise<number> {
  const select = source.prepare(`select * from ${table}`);
  const columns = select.columns().map((column) => column.name);
  const begin = `insert into ${table} (${columns.map((column) => `"${column}"`).join(', ')}) values `;
  let rows = 0;
  let values: unknown[] = [];
  let characters = 0;
  const insert = async (): Promise<void> => {
    const tuples = Array.from({ length: values.length / columns.length }, (_, row) => {
      const places = columns.map(
        (_column, index) => `$${String(row * columns.length + index + 1)}`,
      );
      return `(${places.join(', ')})`;
    });
    await client.query(begin + tuples.join(', '), values);
    rows += tuples.length;
    [values, characters] = [[], 0];
  };
  for (const row of select.raw(true).iterate() as Iterable<readonly unknown[]>) {
    for (const value of row) {
      values.push(toColumn(value));
      if (typeof value === 'string' || value instanceof Uint8Array) characters += value.length;
    }
    if (values.length >= MAX_VALUES || characters >= MAX_CHARACTERS) await insert();
  }
  if (values.length > 0) await insert();
  return rows;
}

async function countRows(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ rows: number }>(`select count(*) as rows from ${table}`);
  return rows[0]?.rows ?? 0;
}
