import { expect, test } from 'vitest';
import type { JobQueue } from '../../ports/job-queue.ts';
import { StorageError } from '../../ports/store/errors.ts';
import type { Store } from '../../ports/store.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';

/** A queue that does not deliver a job again whose handler failed, as if another worker had completed it. */
function forgetful(queue: JobQueue): JobQueue {
  return Object.assign(Object.create(queue) as JobQueue, {
    start: (...[handler, options]: Parameters<JobQueue['start']>) =>
      queue.start((job, signal) => handler(job, signal).catch(() => 'done' as const), options),
    enqueue: (...job: Parameters<JobQueue['enqueue']>) => queue.enqueue(...job),
    depth: () => queue.depth(),
    close: () => queue.close(),
  });
}

/** A store whose nth write of a run fails: it is stored or not, which the caller does not learn. */
function failing(failed: number, isStored: boolean, onWrite: () => void): (store: Store) => Store {
  let writes = 0;
  return (store) => ({
    ...store,
    write: async (locks, work, options) => {
      if (locks.run === undefined) return store.write(locks, work, options);
      writes += 1;
      onWrite();
      if (writes !== failed) return store.write(locks, work, options);
      if (isStored) await store.write(locks, work, options);
      throw new StorageError('unreachable', 'the connection ended during a commit');
    },
  });
}

interface Ended {
  readonly status: string | undefined;
  readonly effects: number;
  readonly writes: number;
}

/** Takes a run with a write to its end; a person looks whether the write took effect. */
async function runWith(failed: number, isStored: boolean): Promise<Ended> {
  const clock = new ManualClock();
  let effects = 0;
  let writes = 0;
  const service = await openService({
    script: callsThenAnswer([[{ name: 'w__write' }]]),
    policies: { w: { approval: 'auto', sampling: 'ask' } },
    clock,
    tools: {
      w__write: { call: () => ((effects += 1), Promise.resolve(ok('written'))) },
    },
    changeQueue: forgetful,
    changeStore: failing(failed, isStored, () => (writes += 1)),
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  for (let step = 0; step < 200; step += 1) {
    clock.advance(2000);
    await new Promise((resolve) => setImmediate(resolve));
    const run = await service.read.run(id);
    if (run?.finishedAt !== undefined) return { status: run.status, effects, writes };
    const [item] = await service.read.openInbox([id]);
    if (item !== undefined)
      await service.engine
        .respond(item.id, { action: effects === 0 ? 'retry' : 'mark_done' })
        .catch(() => undefined);
  }
  return { status: (await service.read.run(id))?.status, effects, writes };
}

test.each([
  ['is stored', true],
  ['is not stored', false],
])(
  'a write whose outcome is unknown and that %s stops no run and repeats no effect, although its job is lost',
  async (_what, isStored) => {
    const { writes } = await runWith(0, isStored);
    // The first write is that of the client's request.
    for (let failed = 2; failed <= writes; failed += 1)
      expect([failed, await runWith(failed, isStored)]).toEqual([
        failed,
        expect.objectContaining({ status: 'completed', effects: 1 }),
      ]);
  },
);
