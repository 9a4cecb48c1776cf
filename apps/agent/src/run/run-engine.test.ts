import { expect, test } from 'vitest';
import { EngineError } from '../ports/run-engine.ts';
import { callsThenAnswer, USAGE } from './testing/fake-llm.ts';
import { ok, READ_ONLY } from './testing/fake-registry.ts';
import { openService } from './testing/service.ts';
import { IN_SQLITE } from '../store/testing/open-test-store.ts';

test.runIf(IN_SQLITE)(
  'a run of several turns with parallel calls reaches its answer, and its events are complete',
  async () => {
    const service = await openService({
      script: callsThenAnswer(
        [
          [{ name: 'files__list' }, { name: 'files__read', input: { path: 'a' } }],
          [{ name: 'files__read', input: { path: 'b' } }],
        ],
        'two files',
      ),
      tools: {
        files__list: { annotations: READ_ONLY, call: () => Promise.resolve(ok('a b')) },
        files__read: {
          annotations: READ_ONLY,
          call: ({ arguments: { path } }) => Promise.resolve(ok(`text of ${String(path)}`)),
        },
      },
    });
    const { id } = await service.engine.createRun({ prompt: 'what is here?' });
    const run = await service.settled(id);
    expect(run).toMatchObject({
      status: 'completed',
      answer: 'two files',
      turns: 3,
      toolCalls: 3,
      provider: 'scripted',
      scripted: true,
      usage: { input: 30, output: 15 },
    });
    const turn = [
      'turn.started',
      'message.started',
      'message.completed',
      'usage.updated',
      'turn.completed',
    ];
    expect(await service.types(id)).toEqual([
      'run.queued',
      'run.started',
      ...turn,
      'tool_call.planned',
      'tool_call.planned',
      'tool_call.dispatched',
      'tool_call.dispatched',
      'tool_call.completed',
      'tool_call.completed',
      ...turn,
      'tool_call.planned',
      'tool_call.dispatched',
      'tool_call.completed',
      ...turn,
      'run.completed',
    ]);
    expect((await service.event(id, 'run.started')).data).toEqual({
      provider: 'scripted',
      model: 'fake-1',
      scripted: true,
      notice: 'answers come from a test',
    });
    expect(service.errors).toEqual([]);
  },
);

test('the model gets the tools of the run, the prompt, its own calls and the results in order', async () => {
  const slow = Promise.withResolvers<void>();
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__slow' }, { name: 'a__fast' }]]),
    tools: {
      a__slow: { annotations: READ_ONLY, call: () => slow.promise.then(() => ok('slow')) },
      a__fast: {
        annotations: READ_ONLY,
        call: () => {
          slow.resolve();
          return Promise.resolve({
            type: 'result',
            result: { content: [], structuredContent: { n: 1 }, isError: true },
          });
        },
      },
      b__other: { call: () => Promise.resolve(ok('')) },
    },
  });
  const { id } = await service.engine.createRun({ prompt: 'go', servers: ['a'] });
  await service.settled(id);
  const [first, second] = service.llm.requests;
  expect(first?.tools.map((tool) => tool.name)).toEqual(['a__slow', 'a__fast', 'artifact_read']);
  expect(first?.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'go' }] }]);
  expect(second?.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'use-0-0', name: 'a__slow', input: {} },
        { type: 'tool_use', id: 'use-0-1', name: 'a__fast', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', toolUseId: 'use-0-0', content: [{ type: 'text', text: 'slow' }] },
        {
          type: 'tool_result',
          toolUseId: 'use-0-1',
          content: [],
          structuredContent: { n: 1 },
          isError: true,
        },
      ],
    },
  ]);
  expect(new Set(service.registry.sent.map((request) => request.idempotencyKey)).size).toBe(2);
});

test('text is sent as deltas with offsets while it grows, and is stored every half second', async () => {
  const held = Promise.withResolvers<void>();
  const service = await openService({
    script: () => ({ text: 'a growing text', hold: held.promise }),
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.until(
    async () => service.signals.some((signal) => signal.type === 'delta') || undefined,
  );
  await new Promise((resolve) => void setImmediate(resolve));
  service.clock.advance(500);
  const started = await service.event(id, 'message.started');
  await expect
    .poll(() => service.read.partial(id), { interval: 1 })
    .toEqual({
      messageId: started.data['message_id'],
      text: 'a growing text',
    });
  held.resolve();
  await service.settled(id);
  expect(await service.read.partial(id)).toBeUndefined();
  const deltas = service.signals.filter((signal) => signal.type === 'delta');
  expect(deltas.map((delta) => [delta.offset, delta.text])).toEqual([
    [0, 'a gr'],
    [4, 'owing text'],
  ]);
});

test('a turn and a call wait for servers that are still connecting', async () => {
  const connected = Promise.withResolvers<void>();
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__one' }]]),
    tools: {
      a__one: {
        annotations: READ_ONLY,
        call: () => Promise.resolve(ok('1')),
      },
    },
    isStarted: false,
  });
  service.registry.connecting = connected.promise;
  await service.engine.start();
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.event(id, 'run.started');
  expect(await service.types(id)).toEqual(['run.queued', 'run.started']);
  connected.resolve();
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
});

test('a server that hangs while connecting delays one turn, not every turn', async () => {
  const service = await openService({
    script: () => ({ text: 'without it' }),
    tools: { a__one: { call: () => Promise.resolve(ok('1')) } },
    isStarted: false,
  });
  service.registry.connecting = new Promise<never>(() => undefined);
  await service.engine.start();
  service.clock.advance(15_000);
  const { id } = await service.engine.createRun({ prompt: 'go' });
  expect(await service.settled(id)).toMatchObject({ status: 'completed', answer: 'without it' });
});

test('a server that was ready or failed before delays no turn while it connects again', async () => {
  const service = await openService({
    script: () => ({ text: 'without it' }),
    tools: { a__one: { call: () => Promise.resolve(ok('1')) } },
    isStarted: false,
  });
  service.registry.connecting = new Promise<never>(() => undefined);
  service.registry.status = { a: { restarts: 1, since: service.clock.now() } };
  await service.engine.start();
  const { id } = await service.engine.createRun({ prompt: 'go' });
  expect(await service.settled(id)).toMatchObject({ status: 'completed', answer: 'without it' });
});

test('a run waits for the first connection of its own servers only', async () => {
  const tools = {
    hanging__one: { call: () => Promise.resolve(ok('1')) },
    fine__one: { call: () => Promise.resolve(ok('1')) },
  };
  const service = await openService({ script: () => ({ text: 'fine' }), tools, isStarted: false });
  service.registry.connecting = new Promise<never>(() => undefined);
  service.registry.status = { fine: { state: 'ready' } };
  await service.engine.start();
  const { id } = await service.engine.createRun({ prompt: 'go', servers: ['fine'] });
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
});

test('a server with hanging calls takes no slots from other servers, and its waiting calls are sent when slots are free', async () => {
  const answers = Promise.withResolvers<void>();
  const slow = Array.from({ length: 40 }, () => ({ name: 'slow__one' }));
  const service = await openService({
    script: ({ messages }) => {
      const [first] = messages;
      if (messages.length > 1) return { text: 'done' };
      return { calls: JSON.stringify(first).includes('hang') ? slow : [{ name: 'quick__one' }] };
    },
    tools: {
      slow__one: { annotations: READ_ONLY, call: () => answers.promise.then(() => ok('late')) },
      quick__one: { annotations: READ_ONLY, call: () => Promise.resolve(ok('1')) },
    },
    concurrency: { modelCalls: 8, toolCalls: 33 },
  });
  const hanging = await service.engine.createRun({ prompt: 'hang' });
  await service.until(async () => service.registry.sent.length === 32 || undefined);
  const quick = await service.engine.createRun({ prompt: 'quick' });
  expect(await service.settled(quick.id)).toMatchObject({ status: 'completed' });
  expect(service.registry.sent).toHaveLength(33);
  answers.resolve();
  expect(await service.settled(hanging.id)).toMatchObject({ status: 'completed' });
  expect(service.registry.sent.filter((request) => request.wireName === 'slow__one')).toHaveLength(
    40,
  );
});

test('the configured limits apply to the calls of one server and to the runs in a model call', async () => {
  const answers = Promise.withResolvers<void>();
  const service = await openService({
    script: ({ messages }) => {
      if (JSON.stringify(messages[0]).includes('hold'))
        return { text: 'done', hold: answers.promise };
      return messages.length > 1
        ? { text: 'done' }
        : { calls: ['1', '2', '3'].map((id) => ({ id, name: 's__one' })) };
    },
    tools: {
      s__one: { annotations: READ_ONLY, call: () => answers.promise.then(() => ok('late')) },
    },
    concurrency: { modelCalls: 1, callsPerServer: 2 },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.until(async () => service.registry.sent.length === 2 || undefined);
  const first = await service.engine.createRun({ prompt: 'hold' });
  await service.until(async () => service.llm.requests.length === 2 || undefined);
  const second = await service.engine.createRun({ prompt: 'hold' });
  expect(await service.read.run(second.id)).toMatchObject({ status: 'queued' });
  expect(service.registry.sent).toHaveLength(2);
  answers.resolve();
  for (const run of [id, first.id, second.id])
    expect(await service.settled(run)).toMatchObject({ status: 'completed' });
});

test('a planned call whose state changed while its server connected is not sent', async () => {
  const connected = Promise.withResolvers<void>();
  const tools = { a__one: { call: () => Promise.resolve(ok('1')) } };
  const calls = callsThenAnswer([[{ name: 'a__one' }]]);
  const service = await openService({
    script: (request, index) =>
      JSON.stringify(request.messages).includes('other') ? { text: 'hi' } : calls(request, index),
    tools,
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  const item = await service.item(id);
  service.registry.connecting = connected.promise;
  await service.engine.respond(item.id, { action: 'approve' });
  const call = await service.call(id);
  await service.store.write({}, (sql) =>
    sql.updateToolCall(call.id, { state: ['planned'] }, { attempt: 7 }),
  );
  connected.resolve();
  // Its commits come after the one that would send the call.
  await service.settled((await service.engine.createRun({ prompt: 'other' })).id);
  expect(service.registry.sent).toEqual([]);
  await service.store.write({}, (sql) =>
    sql.updateToolCall(call.id, { state: ['planned'] }, { attempt: 0 }),
  );
});

test('fifty runs at once all end, with every call sent once', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__one' }, { name: 'a__two' }], [{ name: 'a__one' }]]),
    tools: {
      a__one: { annotations: READ_ONLY, call: () => Promise.resolve(ok('1')) },
      a__two: {
        annotations: READ_ONLY,
        call: ({ onProgress }) => Promise.resolve(onProgress({ progress: 1 })).then(() => ok('2')),
      },
    },
  });
  const runs = await Promise.all(
    Array.from({ length: 50 }, (_, index) => service.engine.createRun({ prompt: `run ${index}` })),
  );
  const settled = await Promise.all(runs.map((run) => service.settled(run.id)));
  expect(new Set(settled.map((run) => run.status))).toEqual(new Set(['completed']));
  expect(service.registry.sent).toHaveLength(150);
  expect(service.errors).toEqual([]);
});

test('limits are merged over the defaults, usage is summed, and the named model is used', async () => {
  const service = await openService({ script: () => ({ text: 'hi' }) });
  const { id } = await service.engine.createRun({
    prompt: 'go',
    model: 'big',
    limits: { turns: 7 },
  });
  const run = await service.settled(id);
  expect(run.limits).toEqual({
    turns: 7,
    toolCalls: 200,
    wallClockMs: 14_400_000,
    callInactivityMs: 120_000,
    callMaxMs: 1_800_000,
    inboxExpiryMs: 86_400_000,
  });
  expect(run.usage).toEqual(USAGE);
  expect(service.llm.requests[0]?.model).toBe('big');
});

test('an unknown server is refused by name and nothing is stored', async () => {
  const service = await openService({
    script: () => ({ text: 'hi' }),
    tools: { files__read: { call: () => Promise.resolve(ok('')) } },
  });
  await expect(
    service.engine.createRun({ prompt: 'go', servers: ['files', 'flies'] }),
  ).rejects.toEqual(
    new EngineError('unknown_server', 'No server is named "flies". Configured servers: files.'),
  );
  expect((await service.read.runs({ limit: 1 })).data).toEqual([]);
});

test('a call takes at most four commits', async () => {
  const script = callsThenAnswer([[{ name: 'a__one' }]]);
  const service = await openService({
    script,
    tools: { a__one: { annotations: READ_ONLY, call: () => Promise.resolve(ok('1')) } },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  const commits = service.signals.filter((signal) => signal.type === 'events').length;
  const plain = await openService({ script: () => ({ text: 'hi' }) });
  await plain.settled((await plain.engine.createRun({ prompt: 'go' })).id);
  expect(
    commits - plain.signals.filter((signal) => signal.type === 'events').length,
  ).toBeLessThanOrEqual(4);
});
