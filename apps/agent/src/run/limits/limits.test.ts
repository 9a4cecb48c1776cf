import { describe, expect, test } from 'vitest';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const never = new Promise<never>(() => undefined);
const reads: FakeTool = { annotations: READ_ONLY, call: () => Promise.resolve(ok('')) };
const limitEvents = async (service: Service, id: string): Promise<readonly unknown[]> =>
  (await service.events(id))
    .filter((event) => event.type.startsWith('limit.'))
    .map((event) => [event.type, event.data]);

test('a run that reaches its turn limit fails with its partial answer, after a warning at 80 %', async () => {
  const service = await openService({
    script: (_request, index) => ({ text: `turn ${index + 1}`, calls: [{ name: 'a__b' }] }),
    tools: { a__b: reads },
  });
  const { id } = await service.engine.createRun({ prompt: 'go', limits: { turns: 5 } });
  expect(await service.settled(id)).toMatchObject({
    status: 'failed',
    statusReason: 'turn_limit',
    error: { code: 'limit_exceeded' },
    answer: 'turn 5',
    turns: 5,
  });
  expect(await limitEvents(service, id)).toEqual([
    ['limit.warning', { limit: 'turns', used: 4, allowed: 5 }],
    ['limit.exceeded', { limit: 'turns', used: 6, allowed: 5 }],
  ]);
  expect(service.llm.requests).toHaveLength(5);
});

test('a run that plans more tool calls than remain fails before any of them is sent', async () => {
  const service = await openService({
    script: callsThenAnswer([
      [{ name: 'a__b' }, { name: 'a__b' }],
      [{ name: 'a__b' }, { name: 'a__b' }],
    ]),
    tools: { a__b: reads },
  });
  const { id } = await service.engine.createRun({ prompt: 'go', limits: { toolCalls: 3 } });
  expect(await service.settled(id)).toMatchObject({
    status: 'failed',
    statusReason: 'tool_call_limit',
    toolCalls: 2,
  });
  expect(service.registry.sent).toHaveLength(2);
  expect(await limitEvents(service, id)).toEqual([
    ['limit.exceeded', { limit: 'tool_calls', used: 4, allowed: 3 }],
  ]);
});

describe('the tokens of a run', () => {
  // Each answer of this model takes 15.
  const tools = { a__b: reads };

  test('end it at the limit before the next calls, after a warning at 80 %, with its partial answer', async () => {
    const service = await openService({
      script: (_request, index) => ({ text: `turn ${index + 1}`, calls: [{ name: 'a__b' }] }),
      tools,
    });
    const { id } = await service.engine.createRun({ prompt: 'go', limits: { tokens: 50 } });
    expect(await service.settled(id)).toMatchObject({
      status: 'failed',
      statusReason: 'token_limit',
      error: { code: 'limit_exceeded', message: 'The run used 60 of its 50 tokens.' },
      answer: 'turn 4',
    });
    expect(await limitEvents(service, id)).toEqual([
      ['limit.warning', { limit: 'tokens', used: 45, allowed: 50 }],
      ['limit.exceeded', { limit: 'tokens', used: 60, allowed: 50 }],
    ]);
    expect(service.registry.sent).toHaveLength(3);
  });

  test('keep the answer that reached the limit', async () => {
    const service = await openService({ script: () => ({ text: 'the answer' }), tools });
    const { id } = await service.engine.createRun({ prompt: 'go', limits: { tokens: 10 } });
    expect(await service.settled(id)).toMatchObject({ status: 'completed', answer: 'the answer' });
  });

  test('can be limited when their price is unknown', async () => {
    const service = await openService({ script: () => ({ text: 'the answer' }), tools });
    await expect(
      service.engine.createRun({ prompt: 'go', limits: { costUsd: 1 } }),
    ).rejects.toMatchObject({ code: 'unknown_price', problems: [{ path: '/limits/cost_usd' }] });
  });
});

describe('the wall clock', () => {
  test('ends a run during a model call, after a warning at 80 %, with its partial text', async () => {
    const service = await openService({ script: () => ({ text: 'half', hold: never }) });
    const { id } = await service.engine.createRun({ prompt: 'go', limits: { wallClockMs: 1000 } });
    await service.until(
      async () => service.signals.some((signal) => signal.type === 'delta') || undefined,
    );
    service.clock.advance(800);
    await service.event(id, 'limit.warning');
    service.clock.advance(199);
    expect((await service.read.run(id))?.status).toBe('running');
    service.clock.advance(1);
    expect(await service.settled(id)).toMatchObject({
      status: 'expired',
      statusReason: 'wall_clock_limit',
      error: { code: 'wall_clock_limit' },
      answer: 'half',
    });
    expect((await service.types(id)).slice(-5)).toEqual([
      'limit.exceeded',
      'run.cancelling',
      'message.completed',
      'turn.cancelled',
      'run.expired',
    ]);
  });

  test('ends a run during a tool call and cancels the call', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: { annotations: READ_ONLY, call: untilCancelled('delivered') } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go', limits: { wallClockMs: 1000 } });
    await service.until(async () => service.registry.sent[0]);
    service.clock.advance(1000);
    expect(await service.settled(id)).toMatchObject({ status: 'expired' });
    expect(await service.call(id)).toMatchObject({ state: 'cancelled', cancel: 'delivered' });
  });

  test('is paused while the run waits for a person', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }], [{ name: 'a__slow' }]]),
      tools: {
        a__b: { call: () => Promise.resolve(ok('')) },
        a__slow: { annotations: READ_ONLY, call: untilCancelled() },
      },
    });
    const { id } = await service.engine.createRun({ prompt: 'go', limits: { wallClockMs: 1000 } });
    const item = await service.item(id);
    await service.status(id, 'input_required');
    service.clock.advance(50_000);
    expect((await service.read.run(id))?.status).toBe('input_required');
    await service.engine.respond(item.id, { action: 'approve' });
    await service.until(async () => service.registry.sent[1]);
    service.clock.advance(999);
    expect((await service.read.run(id))?.status).toBe('running');
    service.clock.advance(1);
    expect(await service.settled(id)).toMatchObject({ status: 'expired', waitedMs: 50_000 });
  });

  test('of a run that ended early fires no more', async () => {
    const service = await openService({ script: () => ({ text: 'hi' }) });
    const { id } = await service.engine.createRun({ prompt: 'go', limits: { wallClockMs: 1000 } });
    const run = await service.settled(id);
    service.clock.advance(5000);
    await service.engine.close();
    expect(await service.read.run(id)).toEqual(run);
  });
});

test('the limits of a call reach the registry', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__b' }]]),
    tools: { a__b: reads },
  });
  await service.settled(
    (
      await service.engine.createRun({
        prompt: 'go',
        limits: { callInactivityMs: 7, callMaxMs: 8 },
      })
    ).id,
  );
  expect(service.registry.sent[0]).toMatchObject({ inactivityMs: 7, maxTotalMs: 8 });
});

test('progress is stored verbatim, at most four times a second, including the last update', async () => {
  const end = Promise.withResolvers<void>();
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__b' }]]),
    tools: {
      a__b: {
        annotations: READ_ONLY,
        call: async ({ onProgress }) => {
          onProgress({ progress: 1, total: 10, message: 'first' });
          for (let progress = 2; progress <= 5; progress += 1) onProgress({ progress });
          service.clock.advance(250);
          onProgress({ progress: 6 });
          onProgress({ progress: 7.5 });
          await end.promise;
          return ok('');
        },
      },
    },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.until(
    async () =>
      (await service.types(id)).filter((type) => type === 'tool_call.progress').length === 2 ||
      undefined,
  );
  end.resolve();
  await service.settled(id);
  const progress = (await service.events(id))
    .filter((event) => event.type === 'tool_call.progress')
    .map(({ data: { call_id: _call, attempt: _attempt, ...rest } }) => rest);
  expect(progress).toEqual([
    { progress: 1, total: 10, message: 'first' },
    { progress: 5 },
    { progress: 7.5 },
  ]);
  const types = await service.types(id);
  expect(types.lastIndexOf('tool_call.progress')).toBeLessThan(
    types.indexOf('tool_call.completed'),
  );
});
