import { describe, expect, test } from 'vitest';
import { EngineError } from '../../ports/run-engine.ts';
import type { ToolCallOutcome } from '../../ports/tool-dispatcher.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';

const never = new Promise<never>(() => undefined);

test('a queued run is cancelled at once and makes no model call', async () => {
  const service = await openService({ script: () => ({ text: 'hi' }), isStarted: false });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  expect(await service.engine.cancelRun(id, 'changed my mind')).toMatchObject({
    status: 'cancelled',
    statusReason: 'changed my mind',
    finishedAt: service.clock.now(),
  });
  await service.engine.start();
  const other = await service.engine.createRun({ prompt: 'go' });
  await service.settled(other.id);
  expect(service.llm.requests).toHaveLength(1);
  expect(await service.types(id)).toEqual(['run.queued', 'run.cancelling', 'run.cancelled']);
});

test('during a model call the request is aborted and its text kept; another run continues', async () => {
  const held = Promise.withResolvers<void>();
  const service = await openService({
    script: ({ messages }) =>
      JSON.stringify(messages).includes('stop me')
        ? { text: 'half of it', hold: never }
        : { text: 'other', hold: held.promise },
  });
  const { id } = await service.engine.createRun({ prompt: 'stop me' });
  const other = await service.engine.createRun({ prompt: 'leave me' });
  await service.event(id, 'turn.started');
  await service.event(other.id, 'turn.started');
  await service.until(
    async () =>
      service.signals.some((signal) => signal.type === 'delta' && signal.runId === id) || undefined,
  );
  expect(await service.engine.cancelRun(id)).toMatchObject({ status: 'cancelling' });
  expect(await service.settled(id)).toMatchObject({ status: 'cancelled', answer: 'half of it' });
  expect((await service.types(id)).slice(-4)).toEqual([
    'run.cancelling',
    'message.completed',
    'turn.cancelled',
    'run.cancelled',
  ]);
  held.resolve();
  expect(await service.settled(other.id)).toMatchObject({ status: 'completed' });
});

test('during tool calls exactly the calls of the run are cancelled, and the run ends when they have ended', async () => {
  const end = Promise.withResolvers<ToolCallOutcome>();
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__slow' }, { name: 'a__stubborn' }]]),
    tools: {
      a__slow: { annotations: READ_ONLY, call: untilCancelled('delivered') },
      a__stubborn: { annotations: READ_ONLY, call: () => end.promise },
    },
  });
  const run = await service.engine.createRun({ prompt: 'one' });
  const other = await service.engine.createRun({ prompt: 'two' });
  await service.until(async () => service.registry.sent.length === 4 || undefined);
  await service.engine.cancelRun(run.id, 'enough');
  await service.event(run.id, 'tool_call.cancelled');
  expect(await service.read.run(run.id)).toMatchObject({
    status: 'cancelling',
    statusReason: 'enough',
  });
  expect(
    service.registry.sent.map((request) => [request.runId === run.id, request.signal.aborted]),
  ).toEqual(
    expect.arrayContaining([
      [true, true],
      [false, false],
    ]),
  );
  expect(
    service.registry.sent.filter(
      (request) => request.signal.aborted !== (request.runId === run.id),
    ),
  ).toEqual([]);
  end.resolve(ok('finished all the same'));
  expect(await service.settled(run.id)).toMatchObject({ status: 'cancelled' });
  expect(await service.call(run.id, 0)).toMatchObject({ state: 'cancelled', cancel: 'delivered' });
  expect(await service.call(run.id, 1)).toMatchObject({ state: 'succeeded' });
  await service.engine.cancelRun(other.id);
  await service.settled(other.id);
});

test.each([
  ['sent', false, 'unknown'],
  ['delivered', false, 'unknown'],
  ['failed', false, 'unknown'],
  ['confirmed', false, 'stopped'],
  ['sent', true, 'harmless'],
] as const)(
  'a cancelled call shows the progress of the cancellation: level %s, read-only %s, outcome %s',
  async (level, isReadOnly, outcome) => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: { annotations: { readOnlyHint: isReadOnly }, call: untilCancelled(level) } },
      policies: { a: { approval: 'auto', sampling: 'ask' } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.until(async () => service.registry.sent[0]);
    await service.engine.cancelRun(id);
    await service.settled(id);
    expect((await service.event(id, 'tool_call.cancelled')).data).toMatchObject({
      cancel: level,
      outcome,
    });
  },
);

test('a call that is lost while its run is cancelled ends as unknown, without an inbox item', async () => {
  const lost: ToolCallOutcome = { type: 'lost', message: 'server died' };
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__b' }]]),
    tools: {
      a__b: {
        call: ({ signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve(lost))),
      },
    },
    policies: { a: { approval: 'auto', sampling: 'ask' } },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.until(async () => service.registry.sent[0]);
  await service.engine.cancelRun(id);
  expect(await service.settled(id)).toMatchObject({ status: 'cancelled' });
  expect(await service.call(id)).toMatchObject({ state: 'unknown' });
  expect(await service.read.inboxItems({ runId: id })).toEqual([]);
});

test('calls that wait for approval or for a retry are cancelled without being sent', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__ask' }, { name: 'b__later' }]]),
    tools: {
      a__ask: { call: () => Promise.resolve(ok('')) },
      b__later: {
        annotations: READ_ONLY,
        call: () => Promise.resolve({ type: 'not-sent', message: 'not ready' }),
      },
    },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.event(id, 'tool_call.retrying');
  const item = await service.item(id);
  expect(await service.engine.cancelRun(id)).toMatchObject({ status: 'cancelled' });
  expect((await service.read.toolCalls(id)).map((call) => call.state)).toEqual([
    'cancelled',
    'cancelled',
  ]);
  expect((await service.read.inboxItem(item.id))?.state).toBe('void');
  await expect(service.engine.respond(item.id, { action: 'approve' })).rejects.toMatchObject({
    code: 'inbox_item_not_open',
  });
  service.clock.advance(60_000);
  expect(service.registry.sent).toHaveLength(1);
});

test('an open item about an unknown outcome is closed, and the call stays unknown', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__b' }]]),
    tools: { a__b: { call: () => Promise.resolve({ type: 'lost', message: 'died' }) } },
    policies: { a: { approval: 'auto', sampling: 'ask' } },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  const item = await service.item(id);
  expect(await service.engine.cancelRun(id)).toMatchObject({ status: 'cancelled' });
  expect((await service.read.inboxItem(item.id))?.state).toBe('void');
  expect(await service.call(id)).toMatchObject({ state: 'unknown' });
});

describe('cancelling', () => {
  test('twice, and after the end, changes nothing', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: { annotations: READ_ONLY, call: untilCancelled() } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.until(async () => service.registry.sent[0]);
    await Promise.all([
      service.engine.cancelRun(id, 'first'),
      service.engine.cancelRun(id, 'second'),
    ]);
    const run = await service.settled(id);
    expect(await service.engine.cancelRun(id, 'third')).toEqual(run);
    expect(run.statusReason).toBe('first');
    expect(
      (await service.types(id)).filter(
        (type) => type === 'run.cancelling' || type === 'run.cancelled',
      ),
    ).toEqual(['run.cancelling', 'run.cancelled']);
  });

  test('a run that does not exist is refused', async () => {
    const service = await openService({ script: () => ({ text: 'hi' }) });
    await expect(service.engine.cancelRun('nobody')).rejects.toEqual(
      new EngineError('run_not_found', 'There is no run nobody.'),
    );
  });

  test('while the model call completes plans none of its tool calls', async () => {
    const held = Promise.withResolvers<void>();
    const service = await openService({
      script: () => ({ text: 'I call', calls: [{ name: 'a__b' }], stubbornHold: held.promise }),
      tools: { a__b: { annotations: READ_ONLY, call: () => Promise.resolve(ok('')) } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.until(async () => service.llm.requests[0]);
    expect(await service.engine.cancelRun(id)).toMatchObject({ status: 'cancelling' });
    held.resolve();
    expect(await service.settled(id)).toMatchObject({
      status: 'cancelled',
      answer: 'I call',
      toolCalls: 0,
      usage: { input: 10 },
    });
    expect(await service.read.toolCalls(id)).toEqual([]);
  });

  test('while a server still connects ends the run without waiting for it', async () => {
    const service = await openService({
      script: () => ({ text: 'hi' }),
      tools: { a__b: { call: () => Promise.resolve(ok('')) } },
      isStarted: false,
    });
    service.registry.connecting = never;
    await service.engine.start();
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.event(id, 'run.started');
    expect(await service.engine.cancelRun(id)).toMatchObject({ status: 'cancelled' });
    await service.engine.close();
    expect(service.llm.requests).toEqual([]);
  });

  test('closes an open input request at once, also when the server does not stop', async () => {
    const end = Promise.withResolvers<ToolCallOutcome>();
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__ask' }]]),
      tools: {
        a__ask: {
          annotations: READ_ONLY,
          call: ({ inputHandlers }) => {
            inputHandlers.elicit!(
              { mode: 'url', message: 'm', url: 'https://example.org/' },
              { signal: new AbortController().signal, meta: {} },
            ).catch(() => undefined);
            return end.promise;
          },
        },
      },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const item = await service.item(id);
    expect(await service.engine.cancelRun(id)).toMatchObject({ status: 'cancelling' });
    expect((await service.read.inboxItem(item.id))?.state).toBe('void');
    end.resolve(ok(''));
    expect(await service.settled(id)).toMatchObject({ status: 'cancelled' });
  });
});

test.each([
  ['a write', {}, 'unknown'],
  ['read-only', READ_ONLY, 'harmless'],
] as const)(
  'a call whose cancellation was requested before a crash is cancelled after the restart, without an inbox item: %s',
  async (_case, annotations, outcome) => {
    const tools = { w__write: { annotations, call: () => never } };
    const script = callsThenAnswer([[{ name: 'w__write' }]]);
    const policies = { w: { approval: 'auto', sampling: 'deny' } } as const;
    const service = await openService({ script, tools, policies });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.event(id, 'tool_call.dispatched');
    const call = await service.call(id);
    expect((await service.engine.cancelCall({ runId: id, id: call.id })).cancelRequestedAt).toBe(
      service.clock.now(),
    );
    await service.kill();
    const next = await openService({
      script,
      tools,
      policies,
      dataDir: service.dataDir,
      clock: service.clock,
    });
    expect(await next.settled(id)).toMatchObject({ status: 'completed' });
    expect(await next.call(id)).toMatchObject({ state: 'cancelled', cancel: 'failed', attempt: 1 });
    expect((await next.event(id, 'tool_call.cancelled')).data).toMatchObject({ outcome });
    expect(await next.read.inboxItems({ runId: id })).toEqual([]);
  },
);

test('unsent calls have the same result whether the run or only the call is cancelled', async () => {
  const tools = { w__write: { call: () => Promise.resolve(ok('written')) } };
  const service = await openService({
    script: callsThenAnswer([[{ name: 'w__write' }, { name: 'w__write' }]]),
    tools,
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.status(id, 'input_required');
  await service.engine.cancelCall({ runId: id, id: (await service.call(id, 0)).id });
  await service.engine.cancelRun(id);
  await service.settled(id);
  const [alone, withRun] = await service.read.toolCalls(id);
  expect(withRun?.result).toEqual(alone?.result);
  expect(alone).toMatchObject({ state: 'cancelled', result: { isError: true } });
});
