import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { HEARTBEAT_EVERY_MS, LEASE_MS } from '../../ports/store/worker.ts';
import type { Store, StoreTransaction } from '../../ports/store.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { ok, READ_ONLY, type FakeTool } from '../testing/fake-registry.ts';
import { FreezableClock } from '../testing/freezable-clock.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';
import { IN_SQLITE } from '../../store/testing/open-test-store.ts';

const AUTO = {
  r: { approval: 'auto', sampling: 'ask' },
  w: { approval: 'auto', sampling: 'ask' },
} as const;

interface Pair {
  readonly frozen: Service;
  readonly other: Service;
  readonly clock: FreezableClock;
  /** Stops the first process until the other one has ended its lease. */
  readonly loseLease: () => Promise<void>;
}

/** Starts two processes on one store. */
async function pair(
  ofFrozen: Omit<ServiceOptions, 'clock'>,
  ofOther: Omit<ServiceOptions, 'clock'> = ofFrozen,
): Promise<Pair> {
  const shared = new ManualClock();
  const clock = new FreezableClock(shared);
  const frozen = await openService({ policies: AUTO, ...ofFrozen, clock });
  const other = await openService({ policies: AUTO, ...ofOther, beside: frozen, clock: shared });
  const loseLease = async (): Promise<void> => {
    const { workerId } = frozen.opened;
    clock.freeze();
    for (let passedMs = 0; passedMs <= LEASE_MS; passedMs += HEARTBEAT_EVERY_MS) {
      const { workerId: id } = other.opened;
      const beatAt = shared.now() + HEARTBEAT_EVERY_MS;
      shared.advance(HEARTBEAT_EVERY_MS);
      await expect
        .poll(async () => (await other.read.workers()).find((each) => each.id === id)?.heartbeatAt)
        .toBe(beatAt);
    }
    await expect.poll(() => other.read.hasLease(workerId)).toBe(false);
  };
  return { frozen, other, clock, loseLease };
}

test('a worker that was stopped for longer than its lease writes nothing of its turn, and joins again', async () => {
  const reply = Promise.withResolvers<void>();
  const { frozen, other, clock, loseLease } = await pair(
    { script: () => ({ text: 'late', hold: reply.promise }) },
    { script: () => ({ text: 'in time' }) },
  );
  const { id } = await frozen.engine.createRun({ prompt: 'go' });
  await frozen.until(async () => frozen.llm.requests[0]);
  await loseLease();
  expect(await other.settled(id)).toMatchObject({ status: 'completed', answer: 'in time' });
  const types = await other.types(id);
  expect(types).toContain('turn.interrupted');
  reply.resolve();
  clock.thaw();
  const before = frozen.opened.workerId;
  await expect.poll(() => frozen.opened.workerId).not.toBe(before);
  expect(await other.types(id)).toEqual(types);
  expect(await other.read.messages(id)).toHaveLength(2);
  const again = await frozen.engine.createRun({ prompt: 'go on' });
  expect(await frozen.settled(again.id)).toMatchObject({ status: 'completed' });
});

test('a worker that ends after the clock was set back is noticed when its lease is over', async () => {
  const never = new Promise<never>(() => undefined);
  const { frozen, other, loseLease } = await pair(
    { script: () => ({ text: 'late', hold: never }) },
    { script: () => ({ text: 'in time' }) },
  );
  const { id } = await frozen.engine.createRun({ prompt: 'go' });
  await frozen.until(async () => frozen.llm.requests[0]);
  other.clock.adjust(-3_600_000);
  await loseLease();
  expect(await other.settled(id)).toMatchObject({ status: 'completed', answer: 'in time' });
  frozen.stall();
});

interface StoppedCall extends Pair {
  readonly id: string;
  readonly effects: readonly string[];
  /** Lets the call of the stopped process end. */
  readonly answer: () => void;
}

/** Stops a process during a call. Its server answers late. */
async function stoppedDuringCall(
  annotations: FakeTool['annotations'],
  changeStore?: (store: Store) => Store,
): Promise<StoppedCall> {
  const effects: string[] = [];
  const late = Promise.withResolvers<void>();
  const tool = (name: string, wait: Promise<void>): FakeTool => ({
    ...(annotations === undefined ? {} : { annotations }),
    call: async () => {
      effects.push(name);
      await wait;
      return ok(name);
    },
  });
  const script = callsThenAnswer([[{ name: 'w__write' }]]);
  const started = await pair(
    {
      script,
      tools: { w__write: tool('late', late.promise) },
      ...(changeStore === undefined ? {} : { changeStore }),
    },
    { script, tools: { w__write: tool('in time', Promise.resolve()) } },
  );
  // The other process must not take the run before the one that is stopped.
  const { id } = await started.frozen.engine.createRun({ prompt: 'go' });
  await started.frozen.until(async () => started.frozen.registry.sent[0]);
  await started.loseLease();
  return { ...started, id, effects, answer: () => late.resolve() };
}

test('a write that was under way in a stopped worker becomes unknown, and its late result changes nothing', async () => {
  const { other, clock, id, effects, answer, frozen } = await stoppedDuringCall({});
  const item = await other.item(id);
  expect(item.kind).toBe('outcome_unknown');
  answer();
  clock.thaw();
  const before = frozen.opened.workerId;
  await expect.poll(() => frozen.opened.workerId).not.toBe(before);
  expect(await other.call(id)).toMatchObject({ state: 'unknown', result: undefined });
  await other.engine.respond(item.id, { action: 'mark_done' });
  expect(await other.settled(id)).toMatchObject({ status: 'completed' });
  expect(effects).toEqual(['late']);
});

test('a read that was under way in a stopped worker is repeated by another, whose result counts', async () => {
  const { other, clock, id, effects, answer, frozen } = await stoppedDuringCall(READ_ONLY);
  expect(await other.settled(id)).toMatchObject({ status: 'completed' });
  answer();
  clock.thaw();
  const before = frozen.opened.workerId;
  await expect.poll(() => frozen.opened.workerId).not.toBe(before);
  expect(await other.call(id)).toMatchObject({ attempt: 2, state: 'succeeded' });
  expect(JSON.stringify((await other.call(id)).result)).toContain('in time');
  expect(effects).toEqual(['late', 'in time']);
});

test('a call that waited for its connection while the lease was lost is sent once and not cancelled', async () => {
  const script = callsThenAnswer([[{ name: 'w__write' }]]);
  const write: FakeTool = {
    call: ({ signal }) =>
      Promise.resolve(signal.aborted ? { type: 'cancelled', level: 'confirmed' } : ok('written')),
  };
  const { frozen, other, clock, loseLease } = await pair({ script, tools: { w__write: write } });
  const connection = Promise.withResolvers<void>();
  let waiting = 0;
  for (const { registry } of [frozen, other])
    registry.admission = () => {
      waiting += 1;
      return connection.promise;
    };
  const { id } = await frozen.engine.createRun({ prompt: 'go' });
  await expect.poll(() => waiting).toBe(1);
  await loseLease();
  const before = frozen.opened.workerId;
  clock.thaw();
  await expect.poll(() => frozen.opened.workerId).not.toBe(before);
  connection.resolve();
  await expect.poll(async () => (await frozen.read.run(id))?.status).toBe('completed');
  expect(await frozen.call(id)).toMatchObject({ attempt: 1, state: 'succeeded' });
});

test('a task of a worker that lost its lease is not cancelled, and another worker waits for it', async () => {
  const script = callsThenAnswer([[{ name: 'w__write' }]]);
  let isCancelled = false;
  const begun: FakeTool = {
    call: ({ onTask, signal }) => {
      onTask!('task-1');
      signal.addEventListener('abort', () => (isCancelled = true));
      return new Promise(() => undefined);
    },
  };
  const continued: FakeTool = {
    call: ({ resumeFrom }) => Promise.resolve(ok(JSON.stringify(resumeFrom))),
  };
  const { frozen, other, clock, loseLease } = await pair(
    { script, tools: { w__write: begun } },
    { script, tools: { w__write: continued } },
  );
  const { id } = await frozen.engine.createRun({ prompt: 'go' });
  await frozen.event(id, 'tool_call.working');
  await loseLease();
  const before = frozen.opened.workerId;
  clock.thaw();
  await expect.poll(() => frozen.opened.workerId).not.toBe(before);
  await expect.poll(async () => (await other.read.run(id))?.status).toBe('completed');
  expect(isCancelled).toBe(false);
  expect(JSON.stringify((await other.call(id)).result)).toContain('task-1');
});

test('control: without the lease and the comparison of state and owner the late result is stored', async () => {
  let owner = '';
  const unguarded = (sql: StoreTransaction): StoreTransaction => ({
    ...sql,
    hasLease: () => Promise.resolve(true),
    toolCall: async (id) => {
      const call = await sql.toolCall(id);
      return call?.state === 'unknown' ? { ...call, state: 'dispatched', owner } : call;
    },
    updateToolCall: (id, _expected, patch) => sql.updateToolCall(id, { state: ['unknown'] }, patch),
  });
  let isUnguarded = false;
  const { frozen, other, clock, id, answer } = await stoppedDuringCall({}, (store) => ({
    ...store,
    get workerId() {
      return store.workerId;
    },
    write: (locks, work, options) =>
      store.write(locks, (sql) => work(isUnguarded ? unguarded(sql) : sql), options),
  }));
  owner = frozen.opened.workerId;
  await other.item(id);
  isUnguarded = true;
  answer();
  await expect.poll(async () => (await other.call(id)).state).toBe('succeeded');
  isUnguarded = false;
  clock.thaw();
});

describe('a call that was sent before its run ended with an internal error', () => {
  /** Lets the run of two workers fail while its call is in progress at a worker that then stops. */
  async function failedDuringCall(): Promise<Pair & { readonly id: string }> {
    const never: FakeTool = { call: () => new Promise(() => undefined) };
    let isBroken = false;
    const started = await pair({
      script: callsThenAnswer([[{ name: 'w__write' }]]),
      tools: { w__write: never },
      changeStore: (store) => ({
        ...store,
        get workerId() {
          return store.workerId;
        },
        write: (locks, work, options) =>
          store.write(
            locks,
            (sql) =>
              work({
                ...sql,
                hasMessage: (...of) =>
                  isBroken ? Promise.reject(new Error('broken')) : sql.hasMessage(...of),
              }),
            options,
          ),
      }),
    });
    const { id } = await started.frozen.engine.createRun({ prompt: 'go' });
    await started.frozen.until(async () => started.frozen.registry.sent[0]);
    isBroken = true;
    await started.frozen.enqueue({ type: 'advance-run', runId: id });
    await started.frozen.event(id, 'run.failed');
    isBroken = false;
    return { ...started, id };
  }

  test('becomes unknown when its worker ends, and the run can then be resumed', async () => {
    const { other, loseLease, clock, id } = await failedDuringCall();
    await expect(other.engine.resumeRun(id)).rejects.toThrow('has not ended');
    await loseLease();
    await other.event(id, 'tool_call.outcome_unknown');
    expect(await other.call(id)).toMatchObject({ state: 'unknown', owner: undefined });
    expect(await other.read.inboxItems({ runId: id })).toEqual([]);
    await expect.poll(() => other.read.endedWorkers()).toEqual([]);
    await other.engine.resumeRun(id);
    expect(await other.settled(id)).toMatchObject({ status: 'completed' });
    const [request] = other.llm.requests;
    expect(JSON.stringify(request?.messages)).toContain('not known whether this call took effect');
    clock.thaw();
  });

  test('does not keep its run from being resumed when it has no owner', async () => {
    const { other, loseLease, clock, id } = await failedDuringCall();
    const { id: callId } = await other.call(id);
    await other.store.write({ run: id }, (sql) =>
      sql.updateToolCall(callId, { state: ['dispatched'] }, { owner: undefined }),
    );
    await loseLease();
    await other.engine.resumeRun(id);
    expect(await other.settled(id)).toMatchObject({ status: 'completed' });
    expect(await other.call(id)).toMatchObject({ state: 'unknown' });
    clock.thaw();
  });

  test.runIf(IN_SQLITE)(
    'becomes unknown also when its row is damaged, and the sweep does not find it again',
    async () => {
      const { frozen, other, loseLease, id } = await failedDuringCall();
      const database = new Sqlite(join(other.dataDir, 'signalbox.sqlite'));
      database.prepare("update tool_calls set arguments = '{broken' where run_id = ?").run(id);
      database.close();
      await loseLease();
      await expect.poll(() => other.read.endedWorkers()).toEqual([]);
      expect(other.errors).toEqual([]);
      await other.event(id, 'tool_call.outcome_unknown');
      frozen.stall();
      await other.kill();
    },
  );
});

test('a worker that is stopped after it stored a call as sent does not send the call once its lease is over', async () => {
  const gate = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  const effects: string[] = [];
  const write: FakeTool = { call: async () => (effects.push('write'), Promise.resolve(ok('x'))) };
  const script = callsThenAnswer([[{ name: 'w__write' }]]);
  const { frozen, other, clock, loseLease } = await pair(
    {
      script,
      tools: { w__write: write },
      changeStore: (store) => ({
        ...store,
        get workerId() {
          return store.workerId;
        },
        write: async (locks, work, options) => {
          const result = await store.write(locks, work, options);
          const isSent =
            locks.run !== undefined &&
            (await store.read.toolCalls(locks.run, { state: ['dispatched'] })).length > 0;
          if (isSent) {
            stored.resolve();
            await gate.promise;
          }
          return result;
        },
      }),
    },
    { script, tools: { w__write: write } },
  );
  const { id } = await frozen.engine.createRun({ prompt: 'go' });
  await stored.promise;
  await loseLease();
  await other.engine.respond((await other.item(id)).id, { action: 'retry' });
  expect(await other.settled(id)).toMatchObject({ status: 'completed' });
  gate.resolve();
  const before = frozen.opened.workerId;
  clock.thaw();
  await expect.poll(() => frozen.opened.workerId).not.toBe(before);
  expect(effects).toEqual(['write']);
});
