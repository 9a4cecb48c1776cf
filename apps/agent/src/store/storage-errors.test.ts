import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../system/system-clock.ts';
import { openStore } from './open-store.ts';
import { storageErrors } from './storage-errors.ts';

test('a full disk is distinguished from other errors', async () => {
  const database = new Sqlite(':memory:');
  onTestFinished(() => void database.close());
  database.exec('pragma max_page_count = 2; create table t (a)');
  const fill = async (): Promise<void> =>
    void database.prepare('insert into t values (zeroblob(100000))').run();
  await expect(storageErrors(fill())).rejects.toMatchObject({
    name: 'StorageError',
    reason: 'full',
  });
  await expect(storageErrors(Promise.reject(new Error('other')))).rejects.toThrow('other');
});

test('a store with a removed directory has a specific error', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-storage-'));
  const store = await openStore({ dataDir, durability: 'process', clock: systemClock });
  onTestFinished(() => store.close());
  await store.probe();
  await rm(dataDir, { recursive: true });
  await expect(store.probe()).rejects.toMatchObject({ name: 'StorageError', reason: 'lost' });
  expect(() => store.checkFiles()).toThrow(/was removed or replaced while the service was running/);
});
