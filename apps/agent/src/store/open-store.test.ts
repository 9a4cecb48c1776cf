import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { storeContract } from '../ports/store.contract.ts';
import type { Store } from '../ports/store.ts';
import type { Clock } from '../ports/clock.ts';
import { queuedRun } from '../ports/testing/queued-run.ts';
import { openStore } from './open-store.ts';
import { StoreError } from './store-error.ts';
import { databaseFolder, provideMigratedDatabase } from './testing/migrated-database.ts';

const clock: Clock = { now: () => 1234, after: () => () => undefined };
const newDataDir = (): string => join(mkdtempSync(join(tmpdir(), 'signalbox-store-')), 'data');
const open = (dataDir: string, durability: 'process' | 'power' = 'process'): Promise<Store> =>
  openStore({ dataDir, durability, clock });

async function openWith(time: Clock = clock): Promise<Store> {
  const dataDir = join(databaseFolder(), 'data');
  await provideMigratedDatabase(dataDir);
  return openStore({ dataDir, durability: 'process', clock: time });
}

async function refusal(dataDir: string): Promise<string> {
  const error: unknown = await open(dataDir).catch((reason: unknown) => reason);
  return error instanceof StoreError
    ? `${error.code}: ${error.message}`
    : `not refused: ${JSON.stringify(error)}`;
}

storeContract('SQLite', openWith);

test('every method of a transaction has a contract test', async () => {
  const ports = new URL('../ports/', import.meta.url);
  const contracts = readdirSync(ports, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.contract.ts') || name.startsWith(`testing${sep}`))
    .map((name) => readFileSync(new URL(name, ports), 'utf8'))
    .join('\n');
  const store = await openWith();
  const methods = await store.write({}, async (sql) => Object.keys(sql));
  await store.close();
  expect(methods.length).toBeGreaterThan(60);
  expect(methods.filter((name) => !contracts.includes(`.${name}(`))).toEqual([]);
});

describe('a damaged database', () => {
  test('that was emptied is refused, and a removed database is created again', async () => {
    const dataDir = newDataDir();
    await (await open(dataDir)).close();
    const file = join(dataDir, 'signalbox.sqlite');
    writeFileSync(file, '');
    expect(await refusal(dataDir)).toBe(
      `unusable: The database ${file} is empty, though it was in use before. Restore it from a copy, or remove ${file} to begin with a new one.`,
    );
    rmSync(file);
    await (await open(dataDir)).close();
  });

  test('with a missing table is refused with the name of the table', async () => {
    const dataDir = newDataDir();
    await (await open(dataDir)).close();
    const database = new Sqlite(join(dataDir, 'signalbox.sqlite'));
    database.exec('drop table sampling_counts');
    database.close();
    expect(await refusal(dataDir)).toContain('is damaged: it has no table sampling_counts.');
  });

  test('with invalid values still returns its lists, in which the damaged rows are marked', async () => {
    const dataDir = newDataDir();
    const store = await open(dataDir);
    await store.write({}, async (sql) => {
      for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
    });
    const database = new Sqlite(join(dataDir, 'signalbox.sqlite'));
    database.exec("update runs set limits = '{broken', metadata = '' where id = 'r1'");
    database.close();
    const damage = {
      code: 'damaged_row',
      message:
        'The stored limits, metadata cannot be read: the database was damaged or changed outside of the service.',
    };
    const { data } = await store.read.runs({ limit: 9 });
    expect(data.find(({ id }) => id === 'r1')).toMatchObject({ error: damage, metadata: {} });
    expect(data.find(({ id }) => id === 'r2')).toMatchObject({ error: undefined });
    expect(await store.read.run('r1')).toMatchObject({ error: damage });
    await expect(store.write({}, (sql) => sql.run('r1'))).rejects.toThrow(
      'the stored limits is damaged and cannot be read',
    );
    await store.close();
  });
});

describe('the data directory', () => {
  test('is created for this user only, files included', async () => {
    const dataDir = newDataDir();
    const store = await open(dataDir);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(
      ['signalbox.sqlite', 'signalbox.sqlite-wal', 'lock.sqlite', 'opening.sqlite', 'lock.pid'].map(
        (name) => statSync(join(dataDir, name)).mode & 0o777,
      ),
    ).toEqual([0o600, 0o600, 0o600, 0o600, 0o600]);
    await store.close();
  });

  test('is refused to a second process with the pid of the first, and is free after close', async () => {
    const dataDir = newDataDir();
    const first = await open(dataDir);
    expect(await refusal(dataDir)).toBe(
      `locked: The data directory ${dataDir} is in use by process ${process.pid}. Stop it, or choose another data directory. Only processes with --role api or --role worker share one.`,
    );
    await first.close();
    const second = await open(dataDir);
    expect(second.workerId).not.toBe(first.workerId);
    await second.close();
  });

  test('is free as soon as its process is killed, and commits are kept', async () => {
    const dataDir = newDataDir();
    const module = JSON.stringify(new URL('./open-store.ts', import.meta.url).href);
    const script = `
      const { openStore } = await import(${module});
      const clock = { now: () => 1, after: () => () => {} };
      const store = await openStore({ dataDir: process.argv[1], durability: 'process', clock });
      await store.write({}, (sql) => sql.insertRun({ id: 'kept', status: 'queued', prompt: '', provider: '', model: '', scripted: true, limits: {}, lastSeq: 0, turns: 0, toolCalls: 0, waitedMs: 0, createdAt: 1 }));
      process.stdout.write('ready');
      // A store without references is collected, and its lock is released.
      setInterval(() => store.workerId, 1000);`;
    const child = spawn(
      process.execPath,
      ['--conditions=@signalbox/source', '--input-type=module', '-e', script, dataDir],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(child.stdout, 'data');
    expect(await refusal(dataDir)).toContain(
      `locked: The data directory ${dataDir} is in use by process ${child.pid}.`,
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = await open(dataDir);
    expect(await store.read.run('kept')).toMatchObject({ status: 'queued' });
    await store.close();
  });

  test('that cannot be created is named', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'signalbox-store-')), 'file');
    writeFileSync(file, '');
    expect(await refusal(join(file, 'data'))).toContain(
      `unusable: The data directory ${join(file, 'data')} cannot be used (ENOTDIR`,
    );
  });

  test('with an invalid lock file is not reported as in use', async () => {
    const dataDir = newDataDir();
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(
      join(dataDir, 'lock.sqlite'),
      'this is a text file, and long enough to be looked at as a database header is',
    );
    expect(await refusal(dataDir)).toBe(
      `unusable: The data directory ${dataDir} cannot be used (file is not a database). Choose one that this user can write to.`,
    );
  });

  test('with a file that is not a database is refused, and the lock is released', async () => {
    const dataDir = newDataDir();
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(
      join(dataDir, 'signalbox.sqlite'),
      'this is a text file, and long enough to be looked at as a database header is',
    );
    expect(await refusal(dataDir)).toContain('unusable: ');
    writeFileSync(join(dataDir, 'signalbox.sqlite'), '');
    await (await open(dataDir)).close();
  });

  test('written by a newer version is refused', async () => {
    const dataDir = newDataDir();
    await (await open(dataDir)).close();
    const raw = new Sqlite(join(dataDir, 'signalbox.sqlite'));
    raw
      .prepare('insert into kysely_migration (name, timestamp) values (?, ?)')
      .run('0099-future', 'x');
    raw.close();
    expect(await refusal(dataDir)).toMatch(/^newer_database: .*0099-future/);
  });

  test('keeps its commits when it is opened again', async () => {
    const dataDir = newDataDir();
    const first = await open(dataDir, 'power');
    await first.write({}, (sql) => sql.insertRun(queuedRun('r')));
    await first.close();
    const second = await open(dataDir);
    expect(await second.read.run('r')).toMatchObject({ prompt: 'do it' });
    await second.close();
  });
});

test('events and turns have the time of the clock', async () => {
  const store = await open(newDataDir());
  await store.write({}, async (sql) => {
    await sql.insertRun(queuedRun('r'));
    await sql.append('r', [{ type: 'run.queued', data: { prompt: 'p' } }]);
  });
  expect(await store.read.events('r', { after: 0, limit: 1 })).toEqual([
    { runId: 'r', seq: 1, type: 'run.queued', version: 1, at: 1234, data: { prompt: 'p' } },
  ]);
  await store.close();
});
