import { describe, expect, test, vi } from 'vitest';
import { LlmError } from '../../ports/llm-provider.ts';
import type { Store, StoreTransaction } from '../../ports/store.ts';
import type { Run } from '../../ports/store/run.ts';
import type { Script } from '../testing/fake-llm.ts';
import { openService, type Service } from '../testing/service.ts';

const RUNS = 5;
const DELAY_MS = 60_000;
const unavailable: Script = () => ({
  fail: new LlmError('overloaded', 'too much to do', { retryAfterMs: DELAY_MS }),
});

/** Starts runs whose first attempt fails, and whose next attempts get the reply. */
async function outage(
  reply: Script,
  changeStore: (store: Store) => Store = (store) => store,
): Promise<{ readonly first: Service; readonly ids: readonly string[] }> {
  let isDown = true;
  const first = await openService({
    script: (request, index) => (isDown ? unavailable : reply)(request, index),
    changeStore,
  });
  const ids: string[] = [];
  for (let index = 0; index < RUNS; index += 1)
    ids.push((await first.engine.createRun({ prompt: `run ${index}` })).id);
  for (const id of ids) await waiting(first, id);
  isDown = false;
  return { first, ids };
}

const waiting = (service: Service, id: string): Promise<Run> =>
  service.until(async () => {
    const run = await service.read.run(id);
    return run?.retryAt === undefined ? undefined : run;
  }, id);

/** A reply that lasts until the test releases it. */
function held(): { readonly reply: Script; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { reply: () => ({ text: 'done', hold: promise }), release: resolve };
}

/** Lists the runs that a service tries to claim, and changes what it reads before each. */
function claims(
  change: (sql: StoreTransaction, store: Store) => Partial<StoreTransaction> = () => ({}),
): { readonly tried: string[]; readonly changeStore: (store: Store) => Store } {
  const tried: string[] = [];
  const changeStore = (store: Store): Store => ({
    ...store,
    write: (locks, work, options) =>
      store.write(
        locks,
        (sql) => {
          const changed = { ...sql, ...change(sql, store) };
          return work({
            ...changed,
            activeTurn: async (runId) => {
              tried.push(runId);
              return changed.activeTurn(runId);
            },
          });
        },
        options,
      ),
  });
  return { tried, changeStore };
}

describe('two engines on one store', () => {
  test('claim each due attempt of a model call once', async () => {
    const { reply, release } = held();
    const [ofFirst, ofSecond] = [claims(), claims()];
    const { first, ids } = await outage(reply, ofFirst.changeStore);
    const second = await openService({
      script: reply,
      beside: first,
      changeStore: ofSecond.changeStore,
    });
    for (const { tried } of [ofFirst, ofSecond]) tried.length = 0;
    const requests = (): number => first.llm.requests.length - RUNS + second.llm.requests.length;
    first.clock.advance(2 * DELAY_MS);
    for (const runId of ids)
      for (const service of [first, second]) void service.enqueue({ type: 'advance-run', runId });
    await vi.waitFor(
      () => {
        expect(new Set(ofFirst.tried).size).toBe(RUNS);
        expect(new Set(ofSecond.tried).size).toBe(RUNS);
        expect(requests()).toBeGreaterThanOrEqual(RUNS);
      },
      { interval: 1 },
    );
    expect(requests()).toBe(RUNS);
    release();
    for (const id of ids) {
      expect(await settledBy([first, second], id)).toMatchObject({ status: 'completed', turns: 1 });
      expect(await attemptsOf(first, id)).toEqual([
        'turn.started 1',
        'turn.failed 1',
        'turn.started 2',
      ]);
    }
  });

  test('control: without the comparison of the owner both make the same attempt', async () => {
    const { reply, release } = held();
    const { changeStore } = claims((sql, { workerId }) => ({
      activeTurn: async (runId) => {
        const turn = await sql.activeTurn(runId);
        return turn && { ...turn, owner: workerId };
      },
    }));
    const { first, ids } = await outage(reply, changeStore);
    const second = await openService({ script: reply, beside: first, changeStore });
    first.clock.advance(2 * DELAY_MS);
    for (const runId of ids)
      for (const service of [first, second]) void service.enqueue({ type: 'advance-run', runId });
    await vi.waitFor(
      () =>
        expect(first.llm.requests.length - RUNS + second.llm.requests.length).toBeGreaterThan(RUNS),
      { interval: 1 },
    );
    release();
    for (const id of ids) await settledBy([first, second], id);
  });

  test("do not end each other's model call when a repeated job fails in one of them", async () => {
    const { reply, release } = held();
    let isBroken = false;
    const first = await openService({ script: reply });
    const { id } = await first.engine.createRun({ prompt: 'go' });
    await first.until(async () => first.llm.requests[0]);
    const second = await openService({
      script: reply,
      beside: first,
      changeStore: (store) => ({
        ...store,
        read: {
          ...store.read,
          run: (runId) => (isBroken ? Promise.reject(new Error('broken')) : store.read.run(runId)),
        },
      }),
    });
    isBroken = true;
    await second.enqueue({ type: 'advance-run', runId: id });
    await second.until(async () => second.errors[0]);
    isBroken = false;
    release();
    expect(await first.settled(id)).toMatchObject({ status: 'completed', answer: 'done' });
    expect(await first.types(id)).not.toContain('turn.failed');
  });

  test('take up no retry of a run that either of them cancelled', async () => {
    const { reply, release } = held();
    const { first, ids } = await outage(reply);
    const second = await openService({ script: reply, beside: first });
    const [byFirst = '', bySecond = '', ...others] = ids;
    expect(await first.engine.cancelRun(byFirst)).toMatchObject({ status: 'cancelled' });
    expect(await second.engine.cancelRun(bySecond)).toMatchObject({ status: 'cancelled' });
    first.clock.advance(2 * DELAY_MS);
    release();
    for (const id of others)
      expect(await settledBy([first, second], id)).toMatchObject({ status: 'completed' });
    expect(first.llm.requests.length + second.llm.requests.length).toBe(RUNS + others.length);
    for (const id of [byFirst, bySecond])
      expect(await attemptsOf(first, id)).toEqual(['turn.started 1', 'turn.failed 1']);
  });

  test('take up the retries of an engine that has ended, and enforce the limits of its runs', async () => {
    const { reply, release } = held();
    const { first, ids } = await outage(reply);
    const second = await openService({ script: reply, beside: first });
    first.stall();
    second.clock.advance(2 * DELAY_MS);
    await vi.waitFor(() => expect(second.llm.requests).toHaveLength(RUNS), { interval: 1 });
    second.clock.advance(14_400_000);
    for (const id of ids)
      expect(await second.settled(id)).toMatchObject({
        status: 'expired',
        statusReason: 'wall_clock_limit',
      });
    release();
  });
});

/** Resolves when one of the services has settled the run. */
const settledBy = (services: readonly Service[], id: string): Promise<Run> =>
  Promise.race(services.map((service) => service.settled(id)));

async function attemptsOf(service: Service, id: string): Promise<readonly string[]> {
  return (await service.events(id))
    .filter(({ type }) =>
      ['turn.started', 'turn.failed', 'turn.interrupted', 'run.resumed'].includes(type),
    )
    .map(({ type, data }) => `${type} ${String(data['attempt'])}`);
}
