import { expect, test } from 'vitest';
import { StorageError } from '../../ports/store/errors.ts';
import type { Run } from '../../ports/store/run.ts';
import type { Store } from '../../ports/store.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, type FakeTool } from '../testing/fake-registry.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { openService, type Service } from '../testing/service.ts';
import { IN_SQLITE } from '../../store/testing/open-test-store.ts';

const script = callsThenAnswer(
  [[{ name: 'r__read' }, { name: 'w__write' }], [{ name: 'r__read' }]],
  'all done',
);
const AUTO = { w: { approval: 'auto', sampling: 'ask' } } as const;

function world(): {
  readonly effects: string[];
  readonly tools: { readonly [name: string]: FakeTool };
} {
  const effects: string[] = [];
  const write: FakeTool = { call: () => (effects.push('write'), Promise.resolve(ok('written'))) };
  return {
    effects,
    tools: {
      w__write: write,
      r__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('read')) },
    },
  };
}

/** Runs to the end over a store that has no room for some of its writes; time passes after the first of those. */
async function runWithout(isFull: (write: number) => boolean): Promise<{
  readonly service: Service;
  readonly run: Run;
  readonly effects: readonly string[];
  readonly writes: number;
}> {
  const clock = new ManualClock();
  const { effects, tools } = world();
  let writes = 0;
  let passing: NodeJS.Timeout | undefined;
  const service = await openService({
    script,
    tools,
    policies: AUTO,
    clock,
    isFull: (write) => {
      writes = write;
      if (!isFull(write)) return false;
      passing ??= setInterval(() => clock.advance(5000), 2);
      return true;
    },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  const run = await service.settled(id);
  clearInterval(passing);
  return { service, run, effects, writes };
}

// A run fails when there is room again between a refused write and the write of its failure, as with three or six refused writes. SQLite has
// a fixed order of the writes of jobs and sweeps, in which four refused ones end with a whole attempt.
test.runIf(IN_SQLITE)(
  'a disk that is full for four writes stops no run, loses no result and repeats no write',
  async () => {
    const { writes } = await runWithout(() => false);
    expect(writes).toBeGreaterThan(8);
    for (let first = 2; first <= writes; first += 1) {
      const { service, run, effects } = await runWithout(
        (write) => write >= first && write < first + 4,
      );
      expect([first, run.status, run.answer]).toEqual([first, 'completed', 'all done']);
      expect(effects).toEqual(['write']);
      expect(service.errors.join()).toContain('database or disk is full');
      expect(await service.read.inboxItems({ runId: run.id })).toEqual([]);
    }
  },
);

test('a single failed write at worst fails its run, visibly', async () => {
  const { writes } = await runWithout(() => false);
  for (let failing = 2; failing <= writes; failing += 1) {
    const { run, effects, service } = await runWithout((write) => write === failing);
    expect(
      run.status === 'completed' || run.error?.code === 'internal_error',
      `write ${failing}: ${run.status}`,
    ).toBe(true);
    expect(effects.length).toBeLessThanOrEqual(1);
    expect(await service.read.partial(run.id)).toBeUndefined();
  }
});

/** Returns a store that refuses the writes of runs for which there is an error. */
const refusing =
  (errorOf: () => Error | undefined) =>
  (store: Store): Store => ({
    ...store,
    get workerId() {
      return store.workerId;
    },
    write: async (locks, work, options) => {
      const error = locks.run === undefined ? undefined : errorOf();
      if (error === undefined) return store.write(locks, work, options);
      throw error;
    },
  });

/** Resolves with the settled run. Time passes meanwhile. */
async function settledInTime({ clock, read }: Service, id: string): Promise<Run | undefined> {
  await expect
    .poll(
      async () => {
        clock.advance(5000);
        return (await read.run(id))?.finishedAt;
      },
      { interval: 1 },
    )
    .toBeDefined();
  return read.run(id);
}

test('a write that other processes block for too long fails no run, whichever it is', async () => {
  const { writes } = await runWithout(() => false);
  for (let blocked = 2; blocked <= writes; blocked += 1) {
    const clock = new ManualClock();
    const { effects, tools } = world();
    let write = 0;
    const service = await openService({
      script,
      tools,
      policies: AUTO,
      clock,
      changeStore: refusing(() =>
        ++write === blocked ? new StorageError('busy', 'others write') : undefined,
      ),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const run = await settledInTime(service, id);
    expect([blocked, run?.status, run?.error]).toEqual([blocked, 'completed', undefined]);
    expect(effects).toEqual(['write']);
  }
});

test.each([
  ['other processes write', 'busy'],
  ['the database cannot be reached', 'unreachable'],
  ['the disk is full', 'full'],
  ['the database refuses writes', 'broken'],
] as const)(
  'a result that cannot be stored because %s is stored later, however long it takes',
  async (_why, reason) => {
    const clock = new ManualClock();
    let isAnswered = false;
    let refused = 0;
    const service = await openService({
      script: callsThenAnswer([[{ name: 'w__write' }]]),
      policies: AUTO,
      clock,
      tools: { w__write: { call: () => ((isAnswered = true), Promise.resolve(ok('written'))) } },
      changeStore: refusing(() =>
        isAnswered && ++refused <= 8 ? new StorageError(reason, 'not now') : undefined,
      ),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await settledInTime(service, id)).toMatchObject({ status: 'completed' });
    expect(await service.call(id)).toMatchObject({ state: 'succeeded' });
    expect(service.registry.sent).toHaveLength(1);
  },
);

test('a deadline that cannot be stored is retried', async () => {
  const clock = new ManualClock();
  let isFull = false;
  const service = await openService({ script, tools: world().tools, clock, isFull: () => isFull });
  const { id } = await service.engine.createRun({ prompt: 'go', limits: { inboxExpiryMs: 1000 } });
  const item = await service.item(id);
  await service.status(id, 'input_required');
  isFull = true;
  clock.advance(1000);
  await expect.poll(() => service.errors.join()).toContain('a sweep could not continue a run');
  expect((await service.read.inboxItem(item.id))?.state).toBe('open');
  isFull = false;
  clock.advance(5000);
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect((await service.read.inboxItem(item.id))?.state).toBe('expired');
});

test('a result that cannot be stored is reported to the model as such, and the call is not repeated', async () => {
  const clock = new ManualClock();
  let isTooLarge = false;
  let refused = 0;
  const service = await openService({
    script: callsThenAnswer([[{ name: 'w__write' }]]),
    policies: AUTO,
    clock,
    tools: { w__write: { call: () => ((isTooLarge = true), Promise.resolve(ok('x'))) } },
    isFull: () => {
      if (!isTooLarge) return false;
      refused += 1;
      setImmediate(() => clock.advance(5000));
      return refused <= 5;
    },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect(service.registry.sent).toHaveLength(1);
  expect(await service.call(id)).toMatchObject({
    state: 'failed',
    error:
      'The server answered, but the answer could not be stored; the log of the service says why.',
  });
});
