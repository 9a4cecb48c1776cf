import { describe, expect, test } from 'vitest';
import { eraseRun } from '../ports/testing/erase-run.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import { SignalWatch } from '../signals/signal-watch.ts';
import { RunFollower, type RunFrame } from '../run/follow/follow-run.ts';
import type { RunSignal } from '../run/follow/mailbox.ts';
import { framesOf } from './frame-encoder.ts';
import { shareReads } from '../run/follow/shared-run-reader.ts';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled } from '../run/testing/fake-registry.ts';
import { openService, type Service } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';

const deaf = (bus: SignalBus): SignalBus => ({
  publish: () => undefined,
  subscribe: (topic, listener) => bus.subscribe(topic, listener),
});

/** A bus that loses about half of the signals, repeats some, and delivers some late. */
function unreliable(seed: number): (bus: SignalBus) => SignalBus {
  let state = seed;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return (bus) => {
    let late: (() => void) | undefined;
    return {
      publish(signal) {
        const deliver = (): void => bus.publish(signal);
        const chance = random();
        const waiting = late;
        late = undefined;
        if (chance > 0.5 && chance < 0.75) late = deliver;
        else if (chance >= 0.75) deliver();
        if (chance > 0.9) deliver();
        waiting?.();
      },
      subscribe: (topic, listener) => bus.subscribe(topic, listener),
    };
  };
}

const soon = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Resolves when all work that waits for no time has probably ended. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await soon();
}

/** Lets seconds pass until the promise is settled. */
async function inSeconds<T>({ clock }: Service, promise: Promise<T>): Promise<T> {
  const state = watched(promise);
  for (let second = 0; state.isPending && second < 200; second += 1) {
    clock.advance(1000);
    await idle();
  }
  expect(state.isPending).toBe(false);
  return promise;
}

/** Whether the promise is still pending when only signals could settle it. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const state = watched(promise);
  await idle();
  return state.isPending;
}

function watched(promise: Promise<unknown>): { readonly isPending: boolean } {
  const state = { isPending: true };
  const end = (): void => {
    state.isPending = false;
  };
  void promise.then(end, end);
  return state;
}

/** Reads a run to its end, as an event stream does; or only by the iteration, as the command line does. */
async function read(
  service: Service,
  runId: string,
  { byIteration = false } = {},
): Promise<readonly RunFrame[]> {
  const { bus, clock } = service;
  const frames: RunFrame[] = [];
  const onNext = (signal: RunSignal): boolean => {
    frames.push(...framesOf(signal));
    return frames.length % 7 > 0;
  };
  for await (const batch of new RunFollower(
    { read: shareReads(service.read), watch: new SignalWatch(bus, clock) },
    { runId, after: 0, ...(byIteration ? {} : { onNext }) },
  ))
    frames.push(...batch);
  return frames;
}

const seqsOf = (frames: readonly RunFrame[]): readonly number[] =>
  frames.flatMap((frame) => (frame.type === 'event' ? [frame.event.seq] : []));

const deltasOf = (frames: readonly RunFrame[]): string =>
  frames.map((frame) => (frame.type === 'delta' ? frame.delta.text : '')).join('');

describe('without any signal', () => {
  test('a reader gets every event once, and the text of a long message from the store', async () => {
    const end = Promise.withResolvers<void>();
    const text = 'A long answer of many words. '.repeat(20);
    const service = await openService({
      script: () => ({ text, hold: end.promise }),
      changeBus: deaf,
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const reading = read(service, id);
    await service.until(async () => service.llm.requests[0]);
    for (let second = 0; second < 2; second += 1) {
      await idle();
      service.clock.advance(1000);
    }
    await idle();
    end.resolve();
    const { lastSeq } = await service.settled(id);
    expect(await isPending(reading)).toBe(true);
    const frames = await inSeconds(service, reading);
    expect(seqsOf(frames)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    expect(deltasOf(frames)).toBe(text);
  });

  test('a reader of a run that is deleted ends', async () => {
    const service = await openService({ script: () => ({ text: 'done' }), changeBus: deaf });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.settled(id);
    await service.store.write({ run: id }, (sql) => sql.updateRun(id, { status: 'running' }));
    const reading = read(service, id);
    expect(await isPending(reading)).toBe(true);
    await eraseRun(service.store, id);
    expect((await inSeconds(service, reading)).length).toBeGreaterThan(1);
  });

  test('a request that waits for its run is answered', async () => {
    const end = Promise.withResolvers<void>();
    const service = await openService({
      script: () => ({ text: 'done', hold: end.promise }),
      changeBus: deaf,
    });
    const edge = await createServiceEdge(service);
    const answer = edge.request('POST', '/v1/runs', {
      body: { prompt: 'go' },
      headers: { prefer: 'wait=60' },
    });
    await service.until(async () => service.llm.requests[0]);
    await idle();
    end.resolve();
    await service.until(async () => (await service.read.runCounts()).get('completed'));
    expect(await isPending(answer)).toBe(true);
    expect((await inSeconds(service, answer)).json()).toMatchObject({
      status: 'completed',
      answer: 'done',
    });
  });

  test('a response to an input request reaches the server', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__ask' }]]),
      tools: {
        a__ask: {
          annotations: READ_ONLY,
          call: async ({ inputHandlers: { elicit }, signal }) => {
            const params = {
              message: 'Who?',
              requestedSchema: { type: 'object' as const, properties: {} },
            };
            return ok(JSON.stringify(await elicit!(params, { signal, meta: {} })));
          },
        },
      },
      changeBus: deaf,
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.engine.respond((await service.item(id)).id, { action: 'decline' });
    const settled = service.settled(id);
    expect(await isPending(settled)).toBe(true);
    expect(await inSeconds(service, settled)).toMatchObject({ status: 'completed' });
    expect(JSON.stringify((await service.call(id)).result)).toContain('decline');
  });

  test.each(['a run during its model call', 'a run during a tool call', 'a single call'])(
    'a request to cancel %s is carried out',
    async (target) => {
      const service = await openService({
        script: target.includes('model')
          ? () => ({ text: 'half', hold: new Promise(() => undefined) })
          : callsThenAnswer([[{ name: 'a__slow' }]]),
        tools: { a__slow: { annotations: READ_ONLY, call: untilCancelled('delivered') } },
        changeBus: deaf,
      });
      const { id } = await service.engine.createRun({ prompt: 'go' });
      await service.until(async () =>
        target.includes('model') ? service.llm.requests[0] : service.registry.sent[0],
      );
      if (target.includes('single'))
        await service.engine.cancelCall({ runId: id, id: (await service.call(id)).id });
      else await service.engine.cancelRun(id);
      const settled = service.settled(id);
      expect(await isPending(settled)).toBe(true);
      await inSeconds(service, settled);
      const calls = await service.read.toolCalls(id);
      expect((await settled).status).toBe(target.includes('single') ? 'completed' : 'cancelled');
      expect(calls.map(({ state }) => state)).toEqual(
        target.includes('model') ? [] : ['cancelled'],
      );
    },
  );
});

test.each([1, 2, 3, 4])(
  'with a bus that loses, repeats and reorders signals readers get every event once and no text twice (seed %i)',
  async (seed) => {
    const text = 'A long answer of many words. '.repeat(10);
    const replies = callsThenAnswer(
      Array.from({ length: 4 }, () => [{ name: 'a__read' }]),
      text,
    );
    const service = await openService({
      script: (request, index) => ({ text, ...replies(request, index) }),
      tools: { a__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('42')) } },
      changeBus: unreliable(seed),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const readings = [read(service, id), read(service, id, { byIteration: true })];
    const { lastSeq } = await inSeconds(service, service.settled(id));
    for (const reading of readings) {
      const frames = await inSeconds(service, reading);
      expect(seqsOf(frames)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
      for (const frame of frames) {
        if (frame.type !== 'delta' || frame.delta.kind !== 'text') continue;
        const { offset, text: part } = frame.delta;
        expect(part).toBe(text.slice(offset, offset + part.length));
      }
      expect(deltasOf(frames).length).toBeLessThanOrEqual(5 * text.length);
    }
  },
);
