import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { sharedStoreContract } from '../ports/shared-store.contract.ts';
import { queuedRun } from '../ports/testing/queued-run.ts';
import type { WorkerRole } from '../ports/store/worker.ts';
import { openStore } from './open-store.ts';
import type { OpenedStore } from './opened-store.ts';
import { databaseFolder, provideMigratedDatabase } from './testing/migrated-database.ts';

const clock = { now: () => 1234, after: () => () => undefined };
const newDataDir = (): string => join(databaseFolder(), 'data');

/** Opens a store that is closed after the test. */
async function open(dataDir: string, role: WorkerRole = 'worker'): Promise<OpenedStore> {
  const store = await openStore({ dataDir, durability: 'process', clock, role });
  onTestFinished(() => store.close());
  return store;
}

/** Runs a script in a process of its own until its first output. */
async function runScript(
  dataDir: string,
  script: string,
): Promise<{ readonly kill: () => Promise<void>; readonly pid: number | undefined }> {
  const child = spawn(
    process.execPath,
    ['--conditions=@signalbox/source', '--input-type=module', '-e', script, dataDir],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(kill);
  await once(child.stdout, 'data');
  return { kill, pid: child.pid };
}

const HOLD = `
  const { openStore } = await import(${JSON.stringify(new URL('./open-store.ts', import.meta.url).href)});
  const clock = { now: () => 1, after: () => () => {} };
  const store = await openStore({ dataDir: process.argv[1], durability: 'process', clock, role: 'worker' });
  process.stdout.write('open');
  // A store without references is collected, and its locks are released.
  setInterval(() => store.workerId, 1000);`;

sharedStoreContract('SQLite', async () => {
  const dataDir = newDataDir();
  await provideMigratedDatabase(dataDir);
  const options = { dataDir, durability: 'process', clock, role: 'worker' } as const;
  return [await openStore(options), await openStore(options)];
});

test('several processes share a data directory; only a process without others is alone', async () => {
  const dataDir = newDataDir();
  await provideMigratedDatabase(dataDir);
  const other = await runScript(dataDir, HOLD);
  const second = await open(dataDir);
  expect(second.isAlone).toBe(false);
  await expect(open(dataDir, 'all')).rejects.toThrow(
    `is in use by the processes ${other.pid}, ${process.pid}. Stop them, or choose another data directory.`,
  );
  await second.close();
  const third = await open(dataDir);
  expect(third.isAlone).toBe(false);
  await third.close();
  await other.kill();
  expect((await open(dataDir)).isAlone).toBe(true);
});

test('a process that needs the data directory alone excludes those that share it', async () => {
  const dataDir = newDataDir();
  const alone = await open(dataDir, 'all');
  expect(alone.isAlone).toBe(true);
  await expect(open(dataDir)).rejects.toThrow(
    `is in use by process ${process.pid}. Stop it, or choose another data directory.`,
  );
  await alone.close();
  expect((await open(dataDir)).isAlone).toBe(true);
});

test('stores that are opened at once in a new directory all come up, and exactly one was alone', async () => {
  const dataDir = newDataDir();
  const stores = await Promise.all([open(dataDir), open(dataDir), open(dataDir)]);
  expect(stores.filter(({ isAlone }) => isAlone)).toHaveLength(1);
  await Promise.all(
    stores.map((store, index) =>
      store.write({}, (sql) => sql.insertRun(queuedRun(`r${index}`, { createdAt: index }))),
    ),
  );
  for (const store of stores)
    expect((await store.read.runs({ limit: 9 })).data.map(({ id }) => id)).toEqual([
      'r2',
      'r1',
      'r0',
    ]);
});

test('a database of an earlier version is not migrated while another process uses it', async () => {
  const dataDir = newDataDir();
  const first = await open(dataDir);
  const database = new Sqlite(join(dataDir, 'signalbox.sqlite'));
  const last = database
    .prepare('delete from kysely_migration where name = (select max(name) from kysely_migration)')
    .run();
  database.close();
  expect(last.changes).toBe(1);
  await expect(open(dataDir)).rejects.toThrow(
    /must be brought up to date while no other process uses it \(migration \d{4}-[\w.-]+\)\. Stop the processes of the earlier version first\./,
  );
  expect(await first.read.runCounts()).toEqual(new Map());
});

test('a process of a later version is refused while another process uses the database', async () => {
  const dataDir = newDataDir();
  const first = await open(dataDir);
  const later = {
    dataDir,
    durability: 'process',
    clock,
    role: 'worker',
    furtherMigrations: { '0999-later': { up: async () => {} } },
  } as const;
  await expect(openStore(later)).rejects.toThrow(
    /must be brought up to date while no other process uses it \(migration 0999-later\)/,
  );
  await first.close();
  await (await openStore(later)).close();
});

test('a directory that no process has open is free for each kind of use', async () => {
  const dataDir = newDataDir();
  mkdirSync(dataDir, { recursive: true });
  for (const role of ['worker', 'all', 'worker'] as const) {
    const store = await openStore({ dataDir, durability: 'process', clock, role });
    expect(store.isAlone).toBe(true);
    await store.close();
  }
});
