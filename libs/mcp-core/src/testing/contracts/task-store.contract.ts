import type { strict } from 'node:assert';
import type { TaskRecord, TaskStore } from '../../server/tasks/task-store.ts';

/** A requirement on task stores. `run` rejects when the store violates it. */
export interface TaskStoreCheck {
  readonly name: string;
  /** Runs the check. */
  readonly run: () => Promise<void>;
}

/**
 * The requirements on every task store, as checks for any test runner. `open` returns an empty
 * store and is called once per check.
 * @example
 * ```ts
 * import { test } from 'node:test';
 * import { InMemoryTaskStore } from '@signalbox/mcp-core/server';
 * import { taskStoreContract } from '@signalbox/mcp-core/testing/contracts';
 *
 * const checks = taskStoreContract(() => new InMemoryTaskStore());
 * for (const { name, run } of checks) test(name, run);
 * ```
 */
export function taskStoreContract(
  open: () => TaskStore | Promise<TaskStore>,
): readonly TaskStoreCheck[] {
  const assert: typeof strict = process.getBuiltinModule('node:assert').strict;
  const check = (name: string, run: (store: TaskStore) => Promise<void>): TaskStoreCheck => ({
    name,
    run: async () => run(await open()),
  });
  return [
    check('a task is found as it was created, and no other', async (store) => {
      const record = recordOf('a', {
        statusMessage: 'Busy',
        inputRequests: { who: { method: 'roots/list' } },
      });
      await store.create(record);
      assert.deepEqual(await store.get('a'), record);
      assert.equal(await store.get('b'), undefined);
    }),
    check('an id is used once', async (store) => {
      await store.create(recordOf('a'));
      await assert.rejects(async () => store.create(recordOf('a', { status: 'failed' })));
      assert.equal((await store.get('a'))?.status, 'working');
    }),
    check('an update replaces the whole record', async (store) => {
      await store.create(recordOf('a', { statusMessage: 'Busy' }));
      const completed = recordOf('a', { status: 'completed', result: { content: [] } });
      assert.ok(await store.update(completed, 'working'));
      assert.deepEqual(await store.get('a'), completed);
    }),
    check('an update that expects another status, or a task, changes nothing', async (store) => {
      await store.create(recordOf('a', { status: 'cancelled' }));
      assert.equal(
        await store.update(recordOf('a', { status: 'completed', result: {} }), 'working'),
        false,
      );
      assert.deepEqual(await store.get('a'), recordOf('a', { status: 'cancelled' }));
      assert.equal(await store.update(recordOf('b'), 'working'), false);
      assert.equal(await store.get('b'), undefined);
    }),
    check('of updates at the same time that expect the same status, one wins', async (store) => {
      await store.create(recordOf('a'));
      const ends = ['completed', 'failed', 'cancelled'] as const;
      const won = await Promise.all(
        ends.map((status) => store.update(recordOf('a', { status }), 'working')),
      );
      assert.equal(won.filter(Boolean).length, 1);
      assert.equal((await store.get('a'))?.status, ends[won.indexOf(true)]);
    }),
    check('a deleted task is gone from everywhere, and may be deleted again', async (store) => {
      await store.create(recordOf('a', { principal: 'ada' }));
      await store.delete('a');
      await store.delete('a');
      assert.equal(await store.get('a'), undefined);
      assert.deepEqual(await store.list('ada'), { records: [] });
      assert.deepEqual(await idsOf(store.all()), []);
    }),
    check(
      'a principal is given its own tasks, oldest first, each once, over all pages',
      async (store) => {
        const ids = Array.from({ length: 250 }, (_, index) => `task-${String(index)}`);
        for (const id of ids) {
          await store.create(recordOf(id, { principal: 'ada' }));
          await store.create(recordOf(`${id}-bob`, { principal: 'bob' }));
          await store.create(recordOf(`${id}-nobody`));
        }
        const listed: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.list('ada', cursor);
          listed.push(...(page?.records ?? []).map(({ taskId }) => taskId));
          cursor = page?.nextCursor;
        } while (cursor !== undefined);
        assert.deepEqual(listed, ids);
        assert.deepEqual(await store.list('eve'), { records: [] });
      },
    ),
    check('a cursor that is none of its own is told', async (store) => {
      await store.create(recordOf('a', { principal: 'ada' }));
      assert.equal(await store.list('ada', 'no cursor'), undefined);
    }),
    check('all gives every task of everybody once', async (store) => {
      await store.create(recordOf('a', { principal: 'ada' }));
      await store.create(recordOf('b', { principal: 'bob' }));
      await store.create(recordOf('c', { status: 'completed', result: {} }));
      assert.deepEqual((await idsOf(store.all())).toSorted(), ['a', 'b', 'c']);
    }),
    check('tasks may be updated and deleted while all are read', async (store) => {
      for (const id of ['a', 'b', 'c']) await store.create(recordOf(id));
      for await (const { taskId } of store.all()) {
        if (taskId === 'b') await store.delete('b');
        else await store.update(recordOf(taskId, { status: 'failed' }), 'working');
      }
      assert.deepEqual(
        [(await store.get('a'))?.status, await store.get('b'), (await store.get('c'))?.status],
        ['failed', undefined, 'failed'],
      );
    }),
  ];
}

async function idsOf(records: AsyncIterable<TaskRecord>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { taskId } of records) ids.push(taskId);
  return ids;
}

function recordOf(taskId: string, rest: Partial<TaskRecord> = {}): TaskRecord {
  const createdAt = '2026-07-28T00:00:00.000Z';
  return {
    taskId,
    status: 'working',
    createdAt,
    lastUpdatedAt: createdAt,
    ttlMs: null,
    pollIntervalMs: 1000,
    toolName: 'run',
    ...rest,
  };
}
