import { expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';

const call = { name: 'a__read' };
const options: ServiceOptions = {
  script: callsThenAnswer([[call]]),
  tools: { a__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('read')) } },
  callsPerMinute: (server) => (server === 'a' ? 2 : undefined),
};

/** Creates runs with a call each, one after another. */
async function createRuns(service: Service, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await decided(service, id);
    ids.push(id);
  }
  return ids;
}

/** Resolves when the call of a run has been sent or waits. */
const decided = (service: Service, id: string): Promise<unknown> =>
  service.until(async () =>
    (await service.types(id)).find(
      (type) => type === 'tool_call.dispatched' || type === 'tool_call.waiting',
    ),
  );

const statusesOf = ({ read }: Service, ids: readonly string[]): Promise<readonly unknown[]> =>
  Promise.all(ids.map((id) => read.runStatus(id)));

test('calls beyond the rate of their server wait and are sent in order; other servers have no limit', async () => {
  const service = await openService(options);
  const [first = '', second = '', ...rest] = await createRuns(service, 5);
  for (const id of [first, second]) await service.settled(id);
  expect(await statusesOf(service, rest)).toEqual(['running', 'running', 'running']);
  const [third = '', fourth = '', fifth = ''] = rest;
  const start = service.clock.now();
  expect(await service.call(third)).toMatchObject({ state: 'planned', dueAt: start + 60_000 });
  expect(await service.event(third, 'tool_call.waiting')).toMatchObject({
    data: { attempt: 1, reason: 'rate_limited' },
  });
  service.clock.advance(59_999);
  expect(service.registry.sent).toHaveLength(2);
  service.clock.advance(1);
  for (const id of [third, fourth]) await service.settled(id);
  await service.until(async () =>
    ((await service.call(fifth)).dueAt ?? 0) > start + 60_000 ? true : undefined,
  );
  expect(service.registry.sent).toHaveLength(4);
  service.clock.advance(60_000);
  await service.settled(fifth);
  const waits = (await service.types(fifth)).filter((type) => type === 'tool_call.waiting');
  expect(waits).toHaveLength(1);
});

test('each waiting call is due when the rate has room for it and for those before it', async () => {
  const service = await openService(options);
  const start = service.clock.now();
  await createRuns(service, 1);
  service.clock.advance(10_000);
  const [, third = '', fourth = ''] = await createRuns(service, 3);
  expect((await service.call(third)).dueAt).toBe(start + 60_000);
  expect((await service.call(fourth)).dueAt).toBe(start + 70_000);
});

test('a call that waits for the rate is cancelled at once, and leaves its turn to the next', async () => {
  const service = await openService({ ...options, callsPerMinute: () => 1 });
  const [, second = '', third = ''] = await createRuns(service, 3);
  await service.engine.cancelRun(second);
  expect(await service.settled(second)).toMatchObject({ status: 'cancelled' });
  service.clock.advance(60_000);
  await service.settled(third);
  expect(service.registry.sent.map(({ runId }) => runId)).not.toContain(second);
});

test('the wall clock of a run ends while its call waits for the rate', async () => {
  const service = await openService({ ...options, callsPerMinute: () => 1 });
  await createRuns(service, 1);
  const { id } = await service.engine.createRun({ prompt: 'go', limits: { wallClockMs: 10_000 } });
  await decided(service, id);
  service.clock.advance(10_000);
  await service.settled(id);
  expect(service.registry.sent).toHaveLength(1);
  expect(await service.call(id)).toMatchObject({ state: 'cancelled' });
});

test('a call of a server without a rate writes and reads nothing about rates', async () => {
  const used: string[] = [];
  const service = await openService({
    ...options,
    callsPerMinute: () => undefined,
    changeStore: changeRates({ onUse: () => used.push('rate') }),
  });
  await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
  expect(service.registry.sent).toHaveLength(1);
  expect(used).toEqual([]);
});

/** Returns the number of calls that two engines on one store send at once, of 6. */
async function sentByTwo(changes: Partial<ServiceOptions> = {}): Promise<number> {
  const one = await openService({ ...options, ...changes });
  const two = await openService({ ...options, ...changes, beside: one });
  const runs = await Promise.all(
    [one, two, one, two, one, two].map(async (service) => {
      const { id } = await service.engine.createRun({ prompt: 'go' });
      await decided(service, id);
      return id;
    }),
  );
  const sent = await Promise.all(runs.map((id) => one.types(id)));
  return sent.filter((types) => types.includes('tool_call.dispatched')).length;
}

test('two engines on one store keep the rate together', async () => {
  expect(await sentByTwo()).toBe(2);
});

test('control: engines that do not count the calls in the store exceed the rate', async () => {
  expect(await sentByTwo({ changeStore: changeRates({ counts: false }) })).toBe(6);
});

/** Returns a store that reports or ignores the counts of calls. */
function changeRates({
  onUse = () => undefined,
  counts = true,
}: {
  readonly onUse?: () => unknown;
  readonly counts?: boolean;
}): (store: Store) => Store {
  return (store) => ({
    ...store,
    get workerId() {
      return store.workerId;
    },
    write: (locks, work, settings) =>
      store.write(
        locks,
        (sql) =>
          work({
            ...sql,
            lockCallRate: async (server) => {
              onUse();
              await sql.lockCallRate(server);
            },
            joinCallLine: (rated, at) => {
              onUse();
              return sql.joinCallLine(rated, at);
            },
            ...(counts ? {} : { callsAhead: async () => 0, nthLatestCall: async () => undefined }),
          }),
        settings,
      ),
  });
}
