import { describe, expect, test } from 'vitest';
import type { InboxItem } from '../../ports/store/inbox.ts';
import type { Store, StoreTransaction } from '../../ports/store.ts';
import { POLL_EVERY_MS } from '../../signals/signal-watch.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { SWEEP_EVERY_MS } from '../core/sweep-timer.ts';
import { callsThenAnswer, type Script } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';
import { LOST_AFTER_MS } from './lost-work.ts';

const POLICIES = {
  r: { approval: 'auto', sampling: 'ask' },
  w: { approval: 'auto', sampling: 'ask' },
} as const;
const SWEEPS_UNTIL_LOST = LOST_AFTER_MS / SWEEP_EVERY_MS + 1;

/** Rolls a transaction back after its work. */
class Lost extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super('lost');
    this.result = result;
  }
}

/**
 * A store that loses commits, as a database that hands over to a server which has not received
 * them: the writer learns of a commit, and its changes are gone.
 */
function losing(isLost: (sql: StoreTransaction, run: string) => Promise<boolean>) {
  return (store: Store): Store => ({
    ...store,
    get workerId() {
      return store.workerId;
    },
    write: async (locks, work, options) => {
      const { run } = locks;
      if (run === undefined) return store.write(locks, work, options);
      let result: Awaited<ReturnType<typeof work>>;
      try {
        await store.write(
          locks,
          async (sql) => {
            result = await work(sql);
            if (await isLost(sql, run)) throw new Lost(result);
          },
          options,
        );
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
      }
      return result!;
    },
  });
}

/** Loses the first commit after which the call of a run has a result. */
function losingResult(): (store: Store) => Store {
  let losses = 0;
  return losing(async (sql, run) => {
    const [call] = await sql.toolCalls(run, { state: ['succeeded'] });
    if (call === undefined || losses > 0) return false;
    losses += 1;
    return true;
  });
}

interface Lossy {
  readonly service: Service;
  readonly id: string;
  readonly effects: () => number;
}

/** Opens a service that loses the result of the only call of a run. */
async function lostResult(
  annotations: FakeTool['annotations'],
  changeStore: (store: Store) => Store = (store) => store,
): Promise<Lossy> {
  let effects = 0;
  const loses = losingResult();
  const service = await openService({
    script: callsThenAnswer([[{ name: 'w__do' }]]),
    policies: POLICIES,
    clock: new ManualClock(),
    tools: {
      w__do: {
        ...(annotations === undefined ? {} : { annotations }),
        call: () => ((effects += 1), Promise.resolve(ok('done'))),
      },
    },
    changeStore: (store) => loses(changeStore(store)),
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.until(async () => service.registry.sent[0]);
  await expect
    .poll(() => service.jobs.filter(({ type }) => type === 'advance-run'))
    .not.toEqual([]);
  return { service, id, effects: () => effects };
}

/** Lets sweeps pass. Each reads what a worker owns. */
async function sweep(service: Service, sweeps: number): Promise<void> {
  for (let count = 0; count < sweeps; count += 1) {
    service.clock.advance(SWEEP_EVERY_MS);
    const at = service.clock.now();
    await expect
      .poll(async () => (await service.read.workers()).some(({ heartbeatAt }) => heartbeatAt >= at))
      .toBe(true);
  }
}

test('a write whose result the database lost becomes unknown, and a person decides', async () => {
  const { service, id, effects } = await lostResult({});
  await sweep(service, SWEEPS_UNTIL_LOST);
  const item = await service.item(id);
  expect(item).toMatchObject({
    kind: 'outcome_unknown',
    request: { message: 'The service did not store how the call ended.' },
  });
  await service.engine.respond(item.id, { action: 'mark_done' });
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect(effects()).toBe(1);
});

test('a read whose result the database lost is repeated', async () => {
  const { service, id, effects } = await lostResult(READ_ONLY);
  await sweep(service, SWEEPS_UNTIL_LOST);
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect(await service.call(id)).toMatchObject({ attempt: 2, state: 'succeeded' });
  expect(effects()).toBe(2);
});

test('control: without the search for lost work the call stays dispatched and the run running', async () => {
  const { service, id } = await lostResult(READ_ONLY, (store) => ({
    ...store,
    get workerId() {
      return store.workerId;
    },
    read: { ...store.read, ownedWork: () => Promise.resolve([]) },
  }));
  await sweep(service, 5 * SWEEPS_UNTIL_LOST);
  expect(await service.call(id)).toMatchObject({ attempt: 1, state: 'dispatched' });
  expect(await service.read.run(id)).toMatchObject({ status: 'running' });
});

test('a model call whose message the database lost is repeated', async () => {
  let losses = 0;
  const answered = Promise.withResolvers<void>();
  const service = await openService({
    script: callsThenAnswer([]),
    clock: new ManualClock(),
    changeStore: losing(async (sql, run) => {
      if ((await sql.runStatus(run)) !== 'completed' || losses > 0) return false;
      losses += 1;
      answered.resolve();
      return true;
    }),
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await answered.promise;
  await sweep(service, SWEEPS_UNTIL_LOST);
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect(await service.types(id)).toContain('turn.interrupted');
  expect(service.llm.requests).toHaveLength(2);
});

test('a call of a run that ended becomes unknown when the database lost its result, and the run can be resumed', async () => {
  const { service, id } = await lostResult({});
  await service.store.write({ run: id }, (sql) =>
    sql.updateRun(id, {
      status: 'failed',
      finishedAt: service.clock.now(),
      error: { code: 'internal_error', message: 'broken' },
    }),
  );
  await expect(service.engine.resumeRun(id)).rejects.toThrow('has not ended');
  await sweep(service, SWEEPS_UNTIL_LOST);
  await expect.poll(async () => (await service.call(id)).state).toBe('unknown');
  await service.engine.resumeRun(id);
  expect(await service.status(id, 'completed')).toMatchObject({ status: 'completed' });
});

const never = new Promise<never>(() => undefined);

test.each<readonly [string, FakeTool, Script, string]>([
  ['call', { call: () => never }, callsThenAnswer([[{ name: 'w__do' }]]), 'tool_call.dispatched'],
  [
    'task',
    { call: ({ onTask }) => (onTask!('task-1'), never) },
    callsThenAnswer([[{ name: 'w__do' }]]),
    'tool_call.working',
  ],
  ['model call', { call: () => never }, () => ({ hold: never }), 'message.started'],
])('a %s in progress is left alone, however long it takes', async (_what, tool, script, last) => {
  const service = await openService({
    script,
    policies: POLICIES,
    clock: new ManualClock(),
    tools: { w__do: { annotations: READ_ONLY, ...tool } },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.event(id, last);
  await sweep(service, 5 * SWEEPS_UNTIL_LOST);
  expect((await service.types(id)).at(-1)).toBe(last);
  expect(service.llm.requests).toHaveLength(1);
});

test('a call in progress is left alone also when the database lost that this process, which uses it alone, joined', async () => {
  const answer = Promise.withResolvers<void>();
  const service = await openService({
    script: callsThenAnswer([[{ name: 'w__do' }]]),
    policies: POLICIES,
    clock: new ManualClock(),
    tools: { w__do: { call: () => answer.promise.then(() => ok('done')) } },
    changeStore: (store) => ({
      ...store,
      get workerId() {
        return store.workerId;
      },
      isShared: false,
    }),
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.event(id, 'tool_call.dispatched');
  await service.store.write({}, (sql) => sql.endWorker(service.store.workerId));
  let sweeps = 0;
  while (sweeps < 5) {
    sweeps += 1;
    service.clock.advance(SWEEP_EVERY_MS);
    await expect.poll(() => service.clock.waits).toContain(SWEEP_EVERY_MS);
  }
  expect(await service.call(id)).toMatchObject({ attempt: 1, state: 'dispatched' });
  answer.resolve();
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
});

describe('an input request that the database lost', () => {
  const FORM = {
    message: 'Who are you?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  } as const;

  /** Opens a service that loses the only input request of a call when it is first stored. */
  async function lostRequest(): Promise<{
    readonly service: Service;
    readonly id: string;
    readonly refusals: readonly string[];
  }> {
    let losses = 0;
    const refusals: string[] = [];
    const service = await openService({
      script: callsThenAnswer([[{ name: 'w__ask' }]]),
      policies: POLICIES,
      clock: new ManualClock(),
      tools: {
        w__ask: {
          annotations: READ_ONLY,
          call: async ({ inputHandlers: { elicit }, signal }) =>
            ok(
              await elicit!(FORM, { signal, meta: {} }).then(JSON.stringify, (error: unknown) => {
                refusals.push(String(error));
                return 'refused';
              }),
            ),
        },
      },
      changeStore: losing(async (sql, run) => {
        const [item] = await sql.inboxEntries({ runId: run, states: ['open'] });
        if (item === undefined || losses > 0) return false;
        losses += 1;
        return true;
      }),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.event(id, 'tool_call.dispatched');
    await expect.poll(() => losses).toBe(1);
    expect(await service.read.inboxItems({ runId: id })).toEqual([]);
    return { service, id, refusals };
  }

  /** Lets time pass until the request is stored again. */
  async function storedAgain(service: Service, id: string): Promise<InboxItem> {
    await expect
      .poll(() => {
        service.clock.advance(POLL_EVERY_MS);
        return service.read.inboxItems({ runId: id, state: 'open' });
      })
      .toHaveLength(1);
    return service.item(id);
  }

  test('is stored again, and its call gets the response of the person', async () => {
    const { service, id } = await lostRequest();
    const item = await storedAgain(service, id);
    expect(await service.call(id)).toMatchObject({ state: 'input_required', attempt: 1 });
    await service.engine.respond(item.id, { action: 'accept', content: { name: 'Ada' } });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect((await service.call(id)).result).toMatchObject({
      content: [{ text: '{"action":"accept","content":{"name":"Ada"}}' }],
    });
  });

  test('ends with an error when another worker has continued its call meanwhile', async () => {
    const { service, id, refusals } = await lostRequest();
    const { id: callId, attempt } = await service.call(id);
    await service.store.write({ run: id }, (sql) =>
      sql.updateToolCall(callId, { state: ['dispatched'], attempt }, { owner: 'another' }),
    );
    await expect
      .poll(() => {
        service.clock.advance(POLL_EVERY_MS);
        return refusals;
      })
      .toEqual([expect.stringContaining('The call of this input request is being stopped.')]);
    expect(await service.read.inboxItems({ runId: id })).toEqual([]);
  });
});
