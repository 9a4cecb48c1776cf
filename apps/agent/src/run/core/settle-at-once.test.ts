import { describe, expect, test, vi } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

type ChangeStore = (store: Store) => Store;

interface Settled {
  readonly runId: string;
  readonly services: readonly [Service, Service];
  /** Jobs that the two commits enqueued to advance the run. */
  readonly advances: () => number;
}

/** Two engines each make one call of a turn; both calls then end at the same moment. */
async function settleBoth(changeStore: ChangeStore = (store) => store): Promise<Settled> {
  const { promise: end, resolve: endBoth } = Promise.withResolvers<void>();
  const options = {
    script: callsThenAnswer([[{ name: 'r__read' }, { name: 'r__read' }]]),
    tools: {
      r__read: { annotations: READ_ONLY, call: () => end.then(() => ok('read')) },
    },
    concurrency: { toolCalls: 1 },
    changeStore,
  };
  const first = await openService(options);
  const second = await openService({ ...options, beside: first });
  const { id } = await first.engine.createRun({ prompt: 'go' });
  await first.until(async () => (first.registry.sent.length === 1 ? true : undefined));
  const sent = first.registry.sent[0]?.callId;
  const other = (await first.read.toolCalls(id)).find((call) => call.id !== sent);
  await second.enqueue({ type: 'call-tool', callId: other?.id ?? '' });
  await second.until(async () => (second.registry.sent.length === 1 ? true : undefined));
  const services = [first, second] as const;
  const counts = (): number =>
    services.flatMap(({ jobs }) => jobs).filter(({ type }) => type === 'advance-run').length;
  const before = counts();
  endBoth();
  return { runId: id, services, advances: () => counts() - before };
}

/** The store of a database that locks no run: a transaction does not see what the other one changes. */
function withoutLocks(): ChangeStore {
  let reads = 0;
  const { promise: bothRead, resolve } = Promise.withResolvers<void>();
  return (store) => ({
    ...store,
    async write(locks, work, options) {
      const open = await store.read.openCalls(locks.run ?? '');
      const isSettling = open.length === 2 && open.every(({ state }) => state === 'dispatched');
      if (!isSettling) return store.write(locks, work, options);
      reads += 1;
      if (reads === 2) resolve();
      await bothRead;
      return store.write(
        locks,
        (sql) => {
          const changed = new Set<string>();
          return work({
            ...sql,
            updateToolCall: (id, expected, patch) => {
              changed.add(id);
              return sql.updateToolCall(id, expected, patch);
            },
            openCalls: async () => open.filter(({ id }) => !changed.has(id)),
          });
        },
        options,
      );
    },
  });
}

describe('two calls of a turn that end at once in two engines', () => {
  test('enqueue the next step of their run exactly once', async () => {
    const { runId, services, advances } = await settleBoth();
    const run = await Promise.race(services.map((service) => service.settled(runId)));
    expect(run).toMatchObject({ status: 'completed', turns: 2 });
    expect(advances()).toBe(1);
    expect(services.map(({ registry }) => registry.sent.length)).toEqual([1, 1]);
  });

  test('control: without the lock of the run neither enqueues it, and the run stands still', async () => {
    const { runId, services, advances } = await settleBoth(withoutLocks());
    const [{ read }] = services;
    await vi.waitFor(async () => expect(await read.openCalls(runId)).toEqual([]), { interval: 1 });
    expect(await read.runStatus(runId)).toBe('running');
    expect(advances()).toBe(0);
  });
});
