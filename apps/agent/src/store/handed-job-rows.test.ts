import { rm } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../system/system-clock.ts';
import { openStore } from './open-store.ts';
import type { OpenedStore } from './opened-store.ts';
import { databaseFolder, provideMigratedDatabase } from './testing/migrated-database.ts';

const stores: OpenedStore[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function twoProcesses(): Promise<readonly [OpenedStore, OpenedStore]> {
  const dataDir = databaseFolder();
  folders.push(dataDir);
  await provideMigratedDatabase(dataDir);
  const open = async (): Promise<OpenedStore> => {
    const store = await openStore({
      dataDir,
      role: 'worker',
      durability: 'process',
      clock: systemClock,
    });
    stores.push(store);
    return store;
  };
  return [await open(), await open()];
}

test('a job that one process hands over is taken once', async () => {
  const [api, worker] = await twoProcesses();
  const job = { type: 'advance-run', runId: 'r1' } as const;
  await api.handedJobs.hand(job);
  await api.handedJobs.hand(job);
  await api.handedJobs.hand({ type: 'call-tool', callId: 'c1' });
  const taken = await Promise.all([
    worker.handedJobs.take(10, 'w1'),
    api.handedJobs.take(10, 'w1'),
  ]);
  expect(taken.flat()).toHaveLength(2);
  expect(taken.flat().map((each) => each.job)).toEqual(
    expect.arrayContaining([job, { type: 'call-tool', callId: 'c1' }]),
  );
  expect(await worker.handedJobs.take(10, 'w1')).toEqual([]);
});

test('at most the wanted number of jobs is taken', async () => {
  const [api, worker] = await twoProcesses();
  for (const runId of ['r1', 'r2', 'r3']) await api.handedJobs.hand({ type: 'advance-run', runId });
  expect(await worker.handedJobs.take(2, 'w1')).toHaveLength(2);
  expect(await worker.handedJobs.take(2, 'w1')).toHaveLength(1);
});
