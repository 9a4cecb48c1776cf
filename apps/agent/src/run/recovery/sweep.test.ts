import { expect, test } from 'vitest';
import { LEASE_MS } from '../../ports/store/worker.ts';
import type { Store } from '../../ports/store.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { openService } from '../testing/service.ts';

/** Changes which runs a sweep finds, and what happens at each change of one of them. */
function withOrphans(
  store: Store,
  orphans: (limit: number) => readonly string[],
  onChange: (runId: string) => Promise<void>,
): Store {
  return {
    ...store,
    read: {
      ...store.read,
      endedWorkers: () => Promise.resolve(['gone']),
      orphanedRuns: ({ limit }) => Promise.resolve(orphans(limit)),
    },
    write: async (locks, work, options) => {
      if (locks.run !== undefined) await onChange(locks.run);
      return store.write(locks, work, options);
    },
  };
}

const ids = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test('a worker keeps its lease during a batch of recoveries that lasts longer than the lease', async () => {
  const clock = new ManualClock();
  const alive: boolean[] = [];
  const orphans = [...ids('slow', 10)];
  await openService({
    script: callsThenAnswer([]),
    clock,
    changeStore: (store) =>
      withOrphans(
        store,
        () => orphans.splice(0),
        async () => {
          clock.advance(LEASE_MS / 5);
          alive.push(await store.read.isAlive(store.workerId));
        },
      ),
  });
  expect(alive).toEqual(ids('slow', 10).map(() => true));
});

test('runs whose recovery fails are tried again by the next sweep, and keep no other run waiting', async () => {
  const clock = new ManualClock();
  const tried: string[] = [];
  const orphans = [...ids('bad', 200), 'good'];
  const service = await openService({
    script: callsThenAnswer([]),
    clock,
    changeStore: (store) =>
      withOrphans(
        store,
        (limit) => orphans.slice(0, limit),
        (runId) => {
          tried.push(runId);
          if (runId !== 'good') throw new Error('cannot be written');
          return Promise.resolve();
        },
      ),
  });
  expect(tried).toEqual(ids('bad', 200));
  expect(service.errors).toHaveLength(200);
  clock.advance(2000);
  await expect.poll(() => tried.at(-1)).toBe('good');
});

test('an error that each sweep repeats is logged when it begins and when it ends', async () => {
  const clock = new ManualClock();
  let refused = 0;
  let isRefused = true;
  const refuse = <T>(work: () => Promise<T>): Promise<T> => {
    if (!isRefused) return work();
    refused += 1;
    return Promise.reject(new Error('permission denied'));
  };
  const orphans = ['gone'];
  const service = await openService({
    script: callsThenAnswer([]),
    clock,
    changeStore: (store) => {
      const changed = withOrphans(
        store,
        () => orphans,
        () => refuse(() => Promise.resolve(void orphans.pop())),
      );
      return {
        ...changed,
        read: { ...changed.read, idleRuns: (page) => refuse(() => store.read.idleRuns(page)) },
      };
    },
  });
  const sweep = async (): Promise<void> => {
    clock.advance(2000);
    await expect.poll(() => clock.waits).toContain(2000);
  };
  for (const sweeps of [2, 3, 4, 5]) {
    await sweep();
    expect(refused).toBe(2 * sweeps);
  }
  expect(service.errors).toEqual([
    expect.stringMatching(/^a sweep could not continue a run.*permission denied/s),
    expect.stringMatching(/^a sweep failed at enqueuing work without a job.*permission denied/s),
  ]);
  isRefused = false;
  await sweep();
  await sweep();
  expect(service.errors).toHaveLength(2);
  expect(service.infos).toEqual([
    expect.stringMatching(/^a repeated error has ended .*run_id: 'gone'.* times: 5/s),
    expect.stringMatching(/^a repeated error has ended .*enqueuing.* times: 5/s),
  ]);
});

test('a run that another worker has recovered meanwhile is not recovered again', async () => {
  const reply = Promise.withResolvers<void>();
  const first = await openService({ script: () => ({ text: 'done', hold: reply.promise }) });
  const { id } = await first.engine.createRun({ prompt: 'go' });
  await first.until(async () => first.llm.requests[0]);
  const before = await first.types(id);
  const orphans = [id];
  const second = await openService({
    script: callsThenAnswer([]),
    beside: first,
    changeStore: (store) =>
      withOrphans(
        store,
        () => orphans.splice(0),
        () => Promise.resolve(),
      ),
  });
  expect(orphans).toEqual([]);
  expect(await second.types(id)).toEqual(before);
  reply.resolve();
  expect(await first.settled(id)).toMatchObject({ status: 'completed', answer: 'done' });
});

test('a run whose model call has an owner that was removed continues', async () => {
  const removed = await openService({
    script: () => ({ hold: new Promise(() => undefined) }),
    changeStore: (store) => ({
      ...store,
      write: (locks, work, options) =>
        store.write(
          locks,
          (sql) =>
            work({ ...sql, startTurn: (turn) => sql.startTurn({ ...turn, owner: 'removed' }) }),
          options,
        ),
    }),
  });
  const { id } = await removed.engine.createRun({ prompt: 'go' });
  await removed.until(async () => removed.llm.requests[0]);
  removed.stall();
  const other = await openService({ script: callsThenAnswer([]), beside: removed });
  expect(await other.settled(id)).toMatchObject({ status: 'completed' });
});
