import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { taskStoreContract } from '../../testing/contracts/task-store.contract.ts';
import { FileTaskStore } from './file-task-store.test.support.ts';
import { InMemoryTaskStore } from './in-memory-task-store.ts';
import type { TaskRecord } from './task-store.ts';

const folders: string[] = [];

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function openFiles(): Promise<FileTaskStore> {
  const folder = await mkdtemp(join(tmpdir(), 'tasks-'));
  folders.push(folder);
  return new FileTaskStore(folder);
}

const recordOf = (taskId: string, status: TaskRecord['status']): TaskRecord => ({
  taskId,
  status,
  createdAt: '',
  lastUpdatedAt: '',
  ttlMs: null,
  toolName: 'run',
});

describe.each([
  ['in memory', () => new InMemoryTaskStore()],
  ['in files', openFiles],
])('a task store %s', (_where, open) => {
  test.each(taskStoreContract(open))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe('the contract', () => {
  test('finds a store that forgets the compare of an update', async () => {
    const checks = taskStoreContract(() => {
      const store = new InMemoryTaskStore();
      const update = store.update.bind(store);
      return Object.assign(store, {
        update: async (record: TaskRecord) =>
          update(record, (await store.get(record.taskId))?.status ?? record.status),
      });
    });
    const outcomes = await Promise.allSettled(checks.map(({ run }) => run()));
    const found = checks
      .filter((_check, index) => outcomes[index]?.status === 'rejected')
      .map(({ name }) => name);
    expect(found).toContain('an update that expects another status, or a task, changes nothing');
  });
});

describe('a full store in memory', () => {
  test('drops the oldest task that has ended, and no other', async () => {
    const store = new InMemoryTaskStore({ maxTasks: 3 });
    await store.create(recordOf('a', 'working'));
    await store.create(recordOf('b', 'completed'));
    await store.create(recordOf('c', 'completed'));
    await store.create(recordOf('d', 'working'));
    expect(
      await Promise.all(
        ['a', 'b', 'c', 'd'].map(async (id) => (await store.get(id)) !== undefined),
      ),
    ).toEqual([true, false, true, true]);
  });
});
