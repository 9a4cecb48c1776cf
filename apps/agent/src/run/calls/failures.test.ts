import { describe, expect, test } from 'vitest';
import { LlmError, type LlmRequest } from '../../ports/llm-provider.ts';
import type { ToolCallOutcome } from '../../ports/tool-dispatcher.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const toolResultTexts = (request: LlmRequest | undefined): readonly string[] =>
  (request?.messages.at(-1)?.content ?? []).flatMap((block) =>
    block.type === 'tool_result'
      ? block.content.map((part) => (part.type === 'text' ? part.text : part.type))
      : [],
  );

/** A tool that gives the outcomes one after the other. */
function outcomes(
  list: readonly ToolCallOutcome[],
  tool: Omit<FakeTool, 'call'> = { annotations: READ_ONLY },
): FakeTool {
  const rest = [...list];
  return { ...tool, call: () => Promise.resolve(rest.shift() ?? ok('after the list')) };
}

describe('a model call that fails', () => {
  test.each([
    ['auth', 'llm_auth'],
    ['context', 'llm_context'],
    ['quota', 'llm_quota'],
    ['invalid', 'llm_invalid'],
  ] as const)(
    'of kind %s fails its run with %s and the message; other runs continue',
    async (kind, code) => {
      const service = await openService({
        script: ({ messages }) =>
          JSON.stringify(messages).includes('bad')
            ? { fail: new LlmError(kind, 'set the key') }
            : { text: 'fine' },
      });
      const bad = await service.engine.createRun({ prompt: 'bad' });
      const good = await service.engine.createRun({ prompt: 'good' });
      expect(await service.settled(bad.id)).toMatchObject({
        status: 'failed',
        statusReason: code,
        error: { code, message: 'set the key' },
        answer: undefined,
      });
      expect(await service.settled(good.id)).toMatchObject({ status: 'completed', answer: 'fine' });
      expect(await service.types(bad.id)).toEqual([
        'run.queued',
        'run.started',
        'turn.started',
        'message.started',
        'message.completed',
        'turn.failed',
        'run.failed',
      ]);
    },
  );

  test('keeps the received text as partial', async () => {
    const service = await openService({
      script: () => ({ text: 'half an ans', fail: new LlmError('auth', 'the key was revoked') }),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({ status: 'failed', answer: 'half an ans' });
    expect((await service.event(id, 'message.completed')).data).toMatchObject({
      text: 'half an ans',
      is_partial: true,
      tool_uses: [],
    });
    expect((await service.read.messages(id)).at(-1)).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'half an ans' }],
    });
  });

  test('for an internal error fails the run visibly and is logged', async () => {
    const service = await openService({
      script: () => {
        throw new TypeError('a bug');
      },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({
      status: 'failed',
      error: { code: 'internal_error' },
    });
    expect(service.errors.join()).toContain('a bug');
  });
});

describe('a message that is not an answer', () => {
  test('a refusal fails the run with its text', async () => {
    const service = await openService({
      script: () => ({ text: 'I will not.', stop: 'refusal', calls: [{ name: 'a__b' }] }),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({
      status: 'failed',
      error: { code: 'refusal', message: 'I will not.' },
    });
  });

  test('a message truncated at the token limit fails the run and is kept as its partial answer', async () => {
    const service = await openService({ script: () => ({ text: 'very lo', stop: 'max_tokens' }) });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({
      status: 'failed',
      error: { code: 'max_tokens' },
      answer: 'very lo',
      turns: 1,
    });
  });

  test('a full context fails the run and says what to do', async () => {
    const service = await openService({ script: () => ({ stop: 'context_full' }) });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const run = await service.settled(id);
    expect(run.error?.message).toContain('Use a model with a larger one');
  });

  test('a pause is followed by another turn that continues it', async () => {
    const service = await openService({
      script: (_request, index) =>
        index === 0 ? { text: 'thinking', stop: 'pause' } : { text: 'here it is' },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({
      status: 'completed',
      answer: 'here it is',
      turns: 2,
    });
    expect(service.llm.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'thinking' }],
    });
  });
});

describe('a call that is never sent', () => {
  test('of a tool that does not exist fails at once and names similar tools', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'read_fil' }, { name: 'zzz' }]]),
      tools: {
        files__read_file: { call: () => Promise.resolve(ok('')) },
        files__write_file: { call: () => Promise.resolve(ok('')) },
      },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.settled(id);
    expect(service.registry.sent).toEqual([]);
    expect(await service.call(id)).toMatchObject({
      state: 'failed',
      attempt: 0,
      result: { isError: true },
    });
    const [near, far] = toolResultTexts(service.llm.requests[1]);
    expect(near).toMatch(/^There is no tool named read_fil\. Close names: files__read_file/);
    expect(far).toBe('There is no tool named zzz.');
  });

  test('of a server that the run may not use fails like an unknown tool', async () => {
    const tool: FakeTool = { annotations: READ_ONLY, call: () => Promise.resolve(ok('')) };
    const service = await openService({
      script: callsThenAnswer([[{ name: 'b__tool' }]]),
      tools: { a__tool: tool, b__tool: tool },
    });
    await service.settled((await service.engine.createRun({ prompt: 'go', servers: ['a'] })).id);
    expect(service.registry.sent).toEqual([]);
  });

  test('with invalid arguments fails at once and requests valid arguments', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b', invalid: 'unexpected end of JSON at 12.' }]]),
      tools: { a__b: { annotations: READ_ONLY, call: () => Promise.resolve(ok('')) } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(service.registry.sent).toEqual([]);
    expect(toolResultTexts(service.llm.requests[1])).toEqual([
      'The arguments of this call cannot be used: unexpected end of JSON at 12. Send it again with one JSON object that fits the schema of a__b.',
    ]);
  });

  test('of a server that the configuration denies fails at once', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: { annotations: READ_ONLY, call: () => Promise.resolve(ok('')) } },
      policies: { a: { approval: 'deny', sampling: 'ask' } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.settled(id);
    expect(service.registry.sent).toEqual([]);
    expect(await service.call(id)).toMatchObject({ state: 'failed' });
  });
});

describe('a call that fails', () => {
  test('with a protocol error reports its message to the model', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: outcomes([{ type: 'error', message: '-32603: broken' }]) },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(await service.call(id)).toMatchObject({
      state: 'failed',
      error: '-32603: broken',
      attempt: 1,
    });
    expect(toolResultTexts(service.llm.requests[1])).toEqual(['-32603: broken']);
  });

  test.each<[string, Omit<FakeTool, 'call'>]>([
    ['by itself', { annotations: READ_ONLY }],
    ['by a person with a note', {}],
  ])(
    'because it could not be sent again %s after its answer was lost tells the model that it may have taken effect',
    async (_by, tool) => {
      const notSent: ToolCallOutcome = { type: 'not-sent', message: 'server is not ready' };
      const lost: ToolCallOutcome = { type: 'lost', message: 'the connection ended' };
      const service = await openService({
        script: callsThenAnswer([[{ name: 'a__b' }]]),
        tools: { a__b: outcomes([lost, notSent, notSent, notSent], tool) },
        policies: { a: { approval: 'auto', sampling: 'ask' } },
      });
      const { id } = await service.engine.createRun({ prompt: 'go' });
      if (tool.annotations === undefined)
        await service.engine.respond((await service.item(id)).id, {
          action: 'retry',
          note: 'it is safe',
        });
      for (const attempt of [2, 3]) {
        await service.until(async () =>
          (await service.events(id)).find(
            ({ type, data }) => type === 'tool_call.retrying' && data['attempt'] === attempt,
          ),
        );
        service.clock.advance(2000);
      }
      await service.settled(id);
      expect(await service.call(id)).toMatchObject({ state: 'failed', attempt: 4 });
      expect(toolResultTexts(service.llm.requests[1])).toEqual([
        'The call was sent, its answer was lost (the connection ended), and it may have taken effect. It could not be sent again: server is not ready',
      ]);
    },
  );

  test('because it was not sent is retried with growing delays, and then fails', async () => {
    const notSent: ToolCallOutcome = { type: 'not-sent', message: 'server is not ready' };
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: outcomes([notSent, notSent, notSent, notSent, ok('never')], {}) },
      policies: { a: { approval: 'auto', sampling: 'ask' } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    for (const [index, delayMs] of [500, 1000, 2000].entries()) {
      await service.until(
        async () =>
          (await service.events(id)).filter((event) => event.type === 'tool_call.retrying')[index],
      );
      service.clock.advance(delayMs - 1);
      expect(service.registry.sent).toHaveLength(index + 1);
      service.clock.advance(1);
    }
    await service.settled(id);
    expect(await service.call(id)).toMatchObject({
      state: 'failed',
      attempt: 4,
      error: 'server is not ready',
    });
    expect(new Set(service.registry.sent.map((request) => request.idempotencyKey)).size).toBe(1);
  });

  test('because its answer was lost is sent again when it is read-only', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: outcomes([{ type: 'lost', message: 'server died' }, ok('second time')]) },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(await service.call(id)).toMatchObject({ state: 'succeeded', attempt: 2 });
    expect((await service.event(id, 'tool_call.retrying')).data).toMatchObject({
      attempt: 1,
      reason: 'connection_lost',
      message: 'server died',
    });
  });

  test('because its answer was lost four times is not sent again, so that a server cannot block a run', async () => {
    const lost: ToolCallOutcome = { type: 'lost', message: 'server died' };
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: outcomes([lost, lost, lost, lost]) },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(await service.call(id)).toMatchObject({
      state: 'failed',
      attempt: 4,
      error: 'The answer of attempt 4, which was the last one, was lost: server died',
    });
  });

  test('because its last attempt was lost does not claim that the unsent attempts were lost', async () => {
    const notSent: ToolCallOutcome = { type: 'not-sent', message: 'server is not ready' };
    const lost: ToolCallOutcome = { type: 'lost', message: 'server died' };
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: outcomes([notSent, notSent, notSent, lost]) },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    for (const attempt of [1, 2, 3]) {
      await service.until(async () =>
        (await service.events(id)).find(
          ({ type, data }) => type === 'tool_call.retrying' && data['attempt'] === attempt,
        ),
      );
      service.clock.advance(2000);
    }
    await service.settled(id);
    expect(await service.call(id)).toMatchObject({
      state: 'failed',
      error: 'The answer of attempt 4, which was the last one, was lost: server died',
    });
  });

  test.each([
    ['hints of a server that is not trusted', { annotations: READ_ONLY, trusted: false }],
    ['idempotent, but destructive', { annotations: { idempotentHint: true } }],
    ['no hints', {}],
  ])('because its answer was lost opens an inbox item: %s', async (_case, tool) => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b', input: { n: 1 } }]]),
      tools: { a__b: outcomes([{ type: 'lost', message: 'server died' }], tool) },
      policies: { a: { approval: 'auto', sampling: 'ask' } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.item(id)).toMatchObject({
      kind: 'outcome_unknown',
      state: 'open',
      request: {
        server: 'a',
        tool: 'b',
        name: 'a__b',
        arguments: { n: 1 },
        message: 'server died',
      },
    });
    expect(await service.status(id, 'input_required')).toMatchObject({
      waitingSince: service.clock.now(),
    });
    expect(await service.call(id)).toMatchObject({
      state: 'unknown',
      attempt: 1,
      sentAt: undefined,
    });
    expect(service.registry.sent).toHaveLength(1);
  });

  test('that is idempotent and not destructive is sent again after its answer was lost', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: {
        a__b: outcomes([{ type: 'lost', message: 'server died' }, ok('')], {
          annotations: { idempotentHint: true, destructiveHint: false },
        }),
      },
      policies: { a: { approval: 'auto', sampling: 'ask' } },
    });
    await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
    expect(service.registry.sent).toHaveLength(2);
  });

  test('because of a defect in the registry counts as lost and is logged', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: { a__b: { call: () => Promise.reject(new Error('registry bug')) } },
      policies: { a: { approval: 'auto', sampling: 'ask' } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.item(id)).toMatchObject({ kind: 'outcome_unknown' });
    expect(service.errors.join()).toContain('registry bug');
  });
});

test('a result for an ended attempt changes nothing', async () => {
  const late = Promise.withResolvers<ToolCallOutcome>();
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__b' }]]),
    tools: { a__b: { annotations: READ_ONLY, call: () => late.promise } },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.event(id, 'tool_call.dispatched');
  const call = await service.call(id);
  await service.store.write({}, (sql) =>
    sql.updateToolCall(call.id, { state: ['dispatched'] }, { attempt: 2 }),
  );
  late.resolve(ok('of attempt 1'));
  await service.engine.close();
  expect(await service.call(id)).toMatchObject({
    state: 'dispatched',
    attempt: 2,
    result: undefined,
  });
  expect(await service.types(id)).not.toContain('tool_call.completed');
  await service.store.write({}, (sql) =>
    sql.updateToolCall(call.id, { state: ['dispatched'] }, { attempt: 1 }),
  );
});

test('a long result reaches the model truncated, and is kept whole as an artifact', async () => {
  const text = `${'a'.repeat(100_000)}END`;
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__b' }]]),
    tools: { a__b: outcomes([ok(text)]) },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  const [seen] = toolResultTexts(service.llm.requests[1]);
  expect(seen?.length).toBeLessThan(20_000);
  const [, artifactId] =
    /^a+\n\[… 83619 of 100003 bytes left out here\. All of it is the artifact ([\w-]+): .*…\]\na+END$/.exec(
      seen ?? '',
    ) ?? [];
  expect((await service.read.artifact(artifactId ?? ''))?.text).toBe(text);
  expect((await service.event(id, 'tool_call.completed')).data).toMatchObject({
    result: { truncated: true, is_error: false },
  });
});

test('a call that the service cannot send ends after twelve attempts, also over a restart, and the run continues', async () => {
  const options = {
    script: callsThenAnswer([[{ name: 'a__x' }]]),
    tools: { a__x: { annotations: READ_ONLY, call: () => Promise.resolve(ok('x')) } },
  };
  const broken = async (before?: Service): Promise<Service> => {
    const service = await openService({
      ...options,
      ...(before === undefined ? {} : { dataDir: before.dataDir, clock: before.clock }),
      isStarted: false,
    });
    service.registry.find = () => {
      throw new Error('the catalogue is broken');
    };
    await service.engine.start();
    return service;
  };
  const first = await broken();
  const { id } = await first.engine.createRun({ prompt: 'go' });
  const failed = async (service: Service, times: number): Promise<void> => {
    await service.event(id, 'tool_call.planned');
    await expect.poll(async () => (await service.call(id)).failures).toBe(times);
  };
  for (let times = 1; times <= 6; times += 1) {
    await failed(first, times);
    first.clock.advance(5000);
  }
  await failed(first, 7);
  await first.kill();
  first.clock.advance(5000);
  const next = await broken(first);
  for (let times = 8; times <= 11; times += 1) {
    await failed(next, times);
    next.clock.advance(5000);
  }
  expect(await next.settled(id)).toMatchObject({ status: 'completed' });
  expect(await next.call(id)).toMatchObject({
    state: 'failed',
    attempt: 0,
    error: 'The service failed 12 times before the call was sent; its log says why.',
  });
  expect(next.registry.sent).toEqual([]);
});

test('a call whose lease cannot be read before it is sent is tried again', async () => {
  let isBroken = true;
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__x' }]]),
    tools: { a__x: { annotations: READ_ONLY, call: () => Promise.resolve(ok('x')) } },
    changeStore: (store) => ({
      ...store,
      get workerId() {
        return store.workerId;
      },
      read: {
        ...store.read,
        hasLease: (id) =>
          isBroken ? Promise.reject(new Error('the disk failed')) : store.read.hasLease(id),
      },
    }),
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.event(id, 'tool_call.retrying');
  expect(service.registry.sent).toEqual([]);
  isBroken = false;
  service.clock.advance(500);
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect(await service.call(id)).toMatchObject({ state: 'succeeded', attempt: 2 });
});
