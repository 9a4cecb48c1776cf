import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type pg from 'pg';
import { systemClock } from '../../system/system-clock.ts';
import { describeDatabase } from '../../text/describe-database.ts';
import { missingMigrations } from '../migrations/migrate.ts';
import { openStore } from '../open-store.ts';
import { StoreError } from '../store-error.ts';
import { TABLES } from '../tables.ts';
import { ddlOn, schemaOf, unusable } from './open-database.ts';
import { createClient } from './postgres-client.ts';

export interface CopyRunOptions {
  /** Address of the database, which services may be using. It is not changed. */
  readonly url: string;
  readonly runId: string;
  /** Data directory that is created for the copy. */
  readonly dataDir: string;
}

/** The run and the other runs of its thread, whose messages its model received. */
const RUNS =
  'select id from runs where id = $1 or thread_id = (select thread_id from runs where id = $1)';

/** Conditions for tables whose rows belong to runs without the column `run_id`, or to several. */
const OF_RUNS: { readonly [table: string]: string } = {
  runs: `id in (${RUNS})`,
  threads: 'id = (select thread_id from runs where id = $1)',
  agents: `id in (select agent_id from runs where id in (${RUNS}))`,
  agent_versions: `agent_id in (select agent_id from runs where id in (${RUNS}))`,
  artifacts: `id in (select artifact_id from artifact_owners where run_id in (${RUNS}))`,
  tool_sets: `digest in (select tools_digest from epochs where run_id in (${RUNS})
    union all select tools_digest from catalogues where run_id in (${RUNS}))`,
};

/** Number of rows that are in memory at once. */
const ROWS = 100;

/**
 * Copies a run with its thread, calls, events, artifacts and tools from a PostgreSQL database into a
 * new data directory, as they are at one moment. Copies nothing when there is no such run.
 * @throws StoreError `newer_database`, or `unusable`; its message has no password
 */
export async function copyRunFromPostgres({ url, runId, dataDir }: CopyRunOptions): Promise<void> {
  const name = describeDatabase(url);
  const client = createClient({ url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('begin transaction isolation level repeatable read, read only');
    const database = {
      name: `The database ${name}`,
      another: 'another database',
      schema: await schemaOf(client),
    };
    if ((await missingMigrations(ddlOn(client), database)).length > 0)
      throw new StoreError(
        'unusable',
        `The database ${name} lacks tables of this version of Signalbox. Start a service of this version with it first, or correct DATABASE_URL.`,
      );
    await (await openStore({ dataDir, durability: 'process', clock: systemClock })).close();
    const copy = new Sqlite(join(dataDir, 'signalbox.sqlite'));
    try {
      copy.pragma('foreign_keys = OFF');
      for (const table of TABLES) await copyRows(client, copy, { table, runId });
    } finally {
      copy.close();
    }
  } catch (error) {
    throw unusable(error, name);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function copyRows(
  client: pg.Client,
  copy: Sqlite.Database,
  { table, runId }: { readonly table: string; readonly runId: string },
): Promise<void> {
  const columns = copy
    .prepare<[string], string>('select name from pragma_table_info(?)')
    .pluck()
    .all(table);
  const condition =
    OF_RUNS[table] ?? (columns.includes('run_id') ? `run_id in (${RUNS})` : undefined);
  if (condition === undefined) return;
  const names = columns.map((column) => `"${column}"`).join(', ');
  const places = columns.map(() => '?').join(', ');
  const insert = copy.prepare(`insert into ${table} (${names}) values (${places})`);
  const insertAll = copy.transaction((rows: readonly unknown[][]) => {
    for (const row of rows) insert.run(row);
  });
  await client.query(
    `declare copied no scroll cursor for select ${names} from ${table} where ${condition}`,
    [runId],
  );
  const text = `fetch ${String(ROWS)} from copied`;
  for (let isLast = false; !isLast;) {
    const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
    insertAll(rows);
    isLast = rows.length < ROWS;
  }
  await client.query('close copied');
}
