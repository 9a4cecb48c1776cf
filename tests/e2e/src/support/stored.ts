import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Client } from 'pg';
import { databaseOf } from './engines.ts';

/** A value of a column. */
type Value = string | number | null;

/** The store of the services in a folder, opened beside them or after their end. */
export interface Stored {
  readonly dialect: 'sqlite' | 'postgres';
  /**
   * Executes a statement whose parameters are `?`, and returns its rows.
   * @throws BusyError after two seconds in which a process holds a lock
   */
  query<R extends object>(statement: string, values?: readonly Value[]): Promise<readonly R[]>;
  /** Closes the connection; later queries return no rows. */
  close(): Promise<void>;
}

/** Thrown when a process holds a lock that the statement needs. */
export class BusyError extends Error {}

const BUSY_MS = 2000;

/** Opens the store that `npm run e2e` chose, by default SQLite. */
export async function openStored(folder: string): Promise<Stored> {
  const url = databaseOf(folder);
  return url === undefined ? openSqlite(folder) : openPostgres(url);
}

/** Executes one statement in the store of the services in a folder. */
export async function queryStored<R extends object>(
  folder: string,
  statement: string,
  values: readonly Value[] = [],
): Promise<readonly R[]> {
  const stored = await openStored(folder);
  try {
    return await stored.query<R>(statement, values);
  } finally {
    await stored.close();
  }
}

/** Returns the rows of every table as texts. */
export async function storedTexts(folder: string): Promise<readonly string[]> {
  const stored = await openStored(folder);
  try {
    const tables = await stored.query<{ name: string }>(
      stored.dialect === 'sqlite'
        ? "select name from sqlite_schema where type = 'table'"
        : "select schemaname || '.' || tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    );
    const texts: string[] = [];
    for (const { name } of tables)
      for (const row of await stored.query(`select * from ${name}`))
        texts.push(...Object.values(row).map((value) => textOf(value)));
    return texts;
  } finally {
    await stored.close();
  }
}

/** Copies the folder of a service that has ended, with its store, over another one that is empty or such a copy. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true });
  const [source, target] = [databaseOf(from), databaseOf(to)];
  if (source === undefined || target === undefined) return;
  const [name, copy] = [source, target].map((url) => new URL(url).pathname.slice(1));
  const client = await connect(source.replace(/[^/]+$/, 'postgres'));
  try {
    await client.query(`drop database if exists ${copy} with (force)`);
    await client.query(`create database ${copy} template ${name}`);
  } finally {
    await client.end();
  }
}

function openSqlite(folder: string): Stored {
  const database = new Sqlite(join(folder, 'data', 'signalbox.sqlite'), { timeout: BUSY_MS });
  return {
    dialect: 'sqlite',
    async query<R>(statement: string, values: readonly Value[] = []) {
      if (!database.open) return [];
      const prepared = database.prepare<Value[], R>(statement);
      try {
        if (prepared.reader) return prepared.all(...values);
        prepared.run(...values);
        return [];
      } catch (error) {
        throw busyOr(error, 'SQLITE_BUSY');
      }
    },
    async close() {
      database.close();
    },
  };
}

async function openPostgres(url: string): Promise<Stored> {
  const client = await connect(url);
  await client.query(`set lock_timeout = ${String(BUSY_MS)}`);
  let isOpen = true;
  return {
    dialect: 'postgres',
    async query<R extends object>(statement: string, values: readonly Value[] = []) {
      if (!isOpen) return [];
      let place = 0;
      const text = statement.replaceAll('?', () => `$${String((place += 1))}`);
      try {
        return (await client.query<R>(text, [...values])).rows;
      } catch (error) {
        throw busyOr(error, '55P03');
      }
    },
    async close() {
      isOpen = false;
      await client.end();
    },
  };
}

async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  return client;
}

function busyOr(error: unknown, code: string): unknown {
  return error instanceof Error && 'code' in error && error.code === code
    ? new BusyError(error.message, { cause: error })
    : error;
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
}
