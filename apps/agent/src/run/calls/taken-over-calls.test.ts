import { describe, expect, test } from 'vitest';
import type { Store, StoreTransaction } from '../../ports/store.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, type Behaviour } from '../testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';

const never = new Promise<never>(() => undefined);
const FORM = { message: 'sure?', requestedSchema: { type: 'object', properties: {} } } as const;
const OPTIONS = {
  script: callsThenAnswer([[{ name: 'w__write' }]]),
  policies: { w: { approval: 'auto', sampling: 'ask' } },
} as const;

/** Calls that become parked at the process that sends them. It never ends them. */
const PARKING: { readonly [K in 'asking' | 'task']: Behaviour } = {
  asking: async ({ rounds, inputHandlers, signal }) => {
    await rounds!.save({ inputRequests: { sure: { method: 'elicitation/create', params: FORM } } });
    void inputHandlers.elicit!(FORM, { signal, meta: {}, key: 'sure' }).catch(() => undefined);
    return never;
  },
  task: ({ onTask }) => {
    onTask!('task-1');
    return never;
  },
};

/** Changes the transactions of two processes while both try to claim a call. */
type Unguard = (sql: StoreTransaction) => Partial<StoreTransaction>;

/** Reads a claimed call as it was before: without an owner. */
const withoutOwner: Unguard = (sql) => ({
  toolCall: async (id) => {
    const call = await sql.toolCall(id);
    return call && { ...call, owner: undefined };
  },
});

/** Lets two processes on one store claim a parked call, whose process has ended, at the same time. */
async function takeOver(
  kind: keyof typeof PARKING,
  unguard: Unguard = () => ({}),
): Promise<{
  readonly first: Service;
  readonly runId: string;
  /** Number of times that the call was continued, when both processes are done with it. */
  readonly continued: number;
}> {
  const ended = await openService({ ...OPTIONS, tools: { w__write: { call: PARKING[kind] } } });
  const { id: runId } = await ended.engine.createRun({ prompt: 'go' });
  await ended.event(runId, kind === 'task' ? 'tool_call.working' : 'inbox.opened');
  const { id: callId } = await ended.call(runId);
  await ended.kill();

  const answered = Promise.withResolvers<void>();
  const connected = Promise.withResolvers<void>();
  /** Processes that have read the parked call, have tried to claim it, and are done with it. */
  const [waiting, tried, done] = [new Set<Service>(), new Set<Service>(), new Set<Service>()];
  let isClaiming = false;
  const open = async (place: Pick<ServiceOptions, 'beside'> = {}): Promise<Service> => {
    const service: Service = await openService({
      ...OPTIONS,
      dataDir: ended.dataDir,
      clock: ended.clock,
      ...place,
      isStarted: false,
      tools: { w__write: { call: () => answered.promise.then(() => ok('written')) } },
      changeStore: (store) =>
        watched(store, {
          change: (sql) => (isClaiming ? { ...sql, ...unguard(sql) } : sql),
          onCallRead: () => isClaiming && tried.add(service),
        }),
    });
    const { registry } = service;
    registry.reserve = async () => {
      waiting.add(service);
      await connected.promise;
      return { call: (request) => registry.call(request), release: () => done.add(service) };
    };
    return service;
  };
  const first = await open();
  const second = await open({ beside: first });
  const services = [first, second];
  for (const { engine } of services) await engine.start();
  await expect.poll(async () => (await first.read.toolCall(callId))?.owner).toBeUndefined();
  for (const service of services) await service.enqueue({ type: 'call-tool', callId });
  await expect.poll(() => waiting.size).toBe(2);
  isClaiming = true;
  connected.resolve();
  await expect.poll(() => tried.size).toBe(2);
  isClaiming = false;
  answered.resolve();
  await expect.poll(() => done.size).toBe(2);
  return { first, runId, continued: first.registry.sent.length + second.registry.sent.length };
}

/** Changes the transactions of a store. `onCallRead` is called after each commit of one that read a call. */
function watched(
  store: Store,
  hooks: {
    readonly change: (sql: StoreTransaction) => StoreTransaction;
    readonly onCallRead: () => void;
  },
): Store {
  return {
    ...store,
    get workerId() {
      return store.workerId;
    },
    async write(locks, work, options) {
      const state = { isCallRead: false };
      const written = await store.write(
        locks,
        (sql) => {
          const changed = hooks.change(sql);
          return work({
            ...changed,
            toolCall: (id) => {
              state.isCallRead = true;
              return changed.toolCall(id);
            },
          });
        },
        options,
      );
      if (state.isCallRead) hooks.onCallRead();
      return written;
    },
  };
}

describe.each(['asking', 'task'] as const)('a parked call of the kind %s', (kind) => {
  test.each([
    ['', undefined],
    [', also when the second reads it as it was before', withoutOwner],
  ])('is continued by one of two processes that claim it at once%s', async (_, unguard) => {
    const { first, runId, continued } = await takeOver(kind, unguard);
    expect(continued).toBe(1);
    await expect.poll(async () => (await first.read.run(runId))?.status).toBe('completed');
    expect(await first.call(runId)).toMatchObject({ attempt: 1, state: 'succeeded' });
  });

  test('control: is continued by both without the comparison of the owner', async () => {
    const { continued } = await takeOver(kind, (sql) => ({
      ...withoutOwner(sql),
      updateToolCall: (id, { state }, patch) => sql.updateToolCall(id, { state }, patch),
    }));
    expect(continued).toBe(2);
  });
});
