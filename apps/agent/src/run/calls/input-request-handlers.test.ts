import {
  ProtocolError,
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitParams,
  type ElicitResult,
} from '@signalbox/mcp-core';
import { describe, expect, test, vi } from 'vitest';
import { LlmError } from '../../ports/llm-provider.ts';
import type { ToolCallOutcome } from '../../ports/tool-dispatcher.ts';
import type { ServerPolicy } from '../core/server-policy.ts';
import { callsThenAnswer, type Reply } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const FORM: ElicitParams = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2 },
      mail: { type: 'string', format: 'email' },
      size: { type: 'string', enum: ['S', 'M'] },
      age: { type: 'integer' },
    },
    required: ['name'],
  },
};

/** A tool whose result is what its questions were answered with; an error of a question becomes its text. */
function asks(
  elicitations: readonly ElicitParams[],
  signal: AbortSignal = new AbortController().signal,
): FakeTool {
  return {
    annotations: READ_ONLY,
    call: async ({ inputHandlers: { elicit }, signal: cancel }) => {
      const answers = await Promise.all(
        elicitations.map((params) =>
          elicit!(params, { signal: AbortSignal.any([signal, cancel]), meta: {} }).catch(
            (error: unknown) => String(error),
          ),
        ),
      );
      return ok(JSON.stringify(answers));
    },
  };
}

async function withQuestion(
  params: ElicitParams,
  signal?: AbortSignal,
): Promise<{ readonly service: Service; readonly id: string }> {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__ask' }]]),
    tools: { a__ask: asks([params], signal) },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  return { service, id };
}

async function answerOf(service: Service, id: string): Promise<ElicitResult | string> {
  await service.settled(id);
  const block = (await service.call(id)).result?.content[0];
  const [answer] = JSON.parse(block?.type === 'text' ? block.text : '[]') as readonly (
    | ElicitResult
    | string
  )[];
  return answer ?? 'nothing';
}

describe('an elicitation during a call', () => {
  test('reaches a person, and the response reaches the server', async () => {
    const { service, id } = await withQuestion(FORM);
    const item = await service.item(id);
    expect(item).toMatchObject({
      kind: 'elicitation_form',
      owner: service.store.workerId,
      request: { server: 'a', message: 'Who are you?', requested_schema: FORM.requestedSchema },
    });
    await service.status(id, 'input_required');
    expect(await service.call(id)).toMatchObject({ state: 'input_required', attempt: 1 });
    await service.engine.respond(item.id, {
      action: 'accept',
      content: { name: 'Ada', size: 'M' },
    });
    expect(await answerOf(service, id)).toEqual({
      action: 'accept',
      content: { name: 'Ada', size: 'M' },
    });
    expect((await service.read.inboxItem(item.id))?.state).toBe('delivered');
    expect(
      (await service.types(id)).filter((type) =>
        /^(inbox|tool_call|run\.(input|resumed))/.test(type),
      ),
    ).toEqual([
      'tool_call.planned',
      'tool_call.dispatched',
      'tool_call.input_required',
      'inbox.opened',
      'run.input_required',
      'inbox.answered',
      'inbox.delivered',
      'tool_call.resumed',
      'run.resumed',
      'tool_call.completed',
    ]);
  });

  test.each([
    [{ action: 'accept' }, 'content: must be an object with the fields of the form'],
    [{ action: 'accept', content: {} }, 'content.name: is required'],
    [{ action: 'accept', content: { name: 'A' } }, 'content.name: must have at least 2 characters'],
    [
      { action: 'accept', content: { name: 'Ada', mail: 'x' } },
      'content.mail: must be an e-mail address',
    ],
    [
      { action: 'accept', content: { name: 'Ada', size: 'XL' } },
      'content.size: must be one of "S", "M"',
    ],
    [
      { action: 'accept', content: { name: 'Ada', age: '7', zip: 1 } },
      'content.zip: is not a field of this form; content.age: must be a number',
    ],
    [
      { action: 'decline', content: { name: 'Ada' } },
      'content: is only part of an accepted form, or of an approved sampling request or reply',
    ],
    [{ action: 'approve' }, 'action: must be one of accept, decline, cancel'],
  ])('refuses an invalid response, and stays open: %j', async (response, message) => {
    const { service, id } = await withQuestion(FORM);
    const item = await service.item(id);
    await expect(service.engine.respond(item.id, response)).rejects.toMatchObject({
      code: 'invalid_response',
      message,
    });
    await service.engine.respond(item.id, { action: 'decline' });
    expect(await answerOf(service, id)).toEqual({ action: 'decline' });
  });

  test('is cancelled for the server when its item expires', async () => {
    const { service, id } = await withQuestion(FORM);
    const item = await service.item(id);
    service.clock.advance(86_400_000);
    expect(await answerOf(service, id)).toEqual({ action: 'cancel' });
    expect((await service.read.inboxItem(item.id))?.state).toBe('expired');
  });

  test('that the server cancels is void, and the call continues', async () => {
    const withdraw = new AbortController();
    const { service, id } = await withQuestion(FORM, withdraw.signal);
    const item = await service.item(id);
    withdraw.abort();
    expect(await answerOf(service, id)).toContain('The input request was withdrawn.');
    expect((await service.read.inboxItem(item.id))?.state).toBe('void');
    expect(await service.call(id)).toMatchObject({ state: 'succeeded' });
  });

  test('with an unsupported schema is refused', async () => {
    const { service, id } = await withQuestion({
      message: 'x',
      requestedSchema: { type: 'string' },
    });
    expect(await answerOf(service, id)).toContain(
      'requestedSchema cannot be used: it is not an object schema with properties',
    );
    expect(await service.read.inboxItems({ runId: id })).toEqual([]);
  });

  test('is answered with the defaults of the fields that the response omits', async () => {
    const requestedSchema = {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'Ada' },
        size: { type: 'string', enum: ['S', 'M'], default: 'M' },
      },
      required: ['name'],
    };
    const { service, id } = await withQuestion({ message: 'Who are you?', requestedSchema });
    await service.engine.respond((await service.item(id)).id, {
      action: 'accept',
      content: { size: 'S' },
    });
    expect(await answerOf(service, id)).toEqual({
      action: 'accept',
      content: { name: 'Ada', size: 'S' },
    });
    expect((await service.event(id, 'inbox.answered')).data).toMatchObject({
      response: { content: { name: 'Ada', size: 'S' } },
    });
  });

  test('with a too large form or message is refused, and no item is opened', async () => {
    const { service, id } = await withQuestion({ ...FORM, message: 'm'.repeat(8193) });
    expect(await answerOf(service, id)).toContain('message has more than 8192 bytes');
    expect(await service.read.inboxItems({ runId: id })).toEqual([]);
  });

  test('is refused after 100 elicitations of one call, including refused and cancelled elicitations', async () => {
    const received: unknown[] = [];
    const bad: ElicitParams = { message: 'x', requestedSchema: { type: 'string' } };
    const a__ask: FakeTool = {
      annotations: READ_ONLY,
      call: async ({ inputHandlers: { elicit } }) => {
        const ask = async (params: ElicitParams, signal: AbortSignal): Promise<void> =>
          void (await elicit!(params, { signal, meta: {} }).catch((error: unknown) =>
            received.push(error),
          ));
        for (let count = 0; count < 40; count += 1) await ask(FORM, AbortSignal.abort());
        for (let count = 0; count < 60; count += 1) await ask(bad, new AbortController().signal);
        await ask(FORM, new AbortController().signal);
        return ok('');
      },
    };
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__ask' }]]),
      tools: { a__ask },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.settled(id);
    expect(received).toHaveLength(101);
    expect(String(received[39])).toContain('The input request was withdrawn.');
    expect(String(received[99])).toContain('requestedSchema cannot be used');
    expect(String(received[100])).toContain(
      'This call sent 100 input requests; further ones are rejected.',
    );
    expect(await service.read.inboxItems({ runId: id })).toHaveLength(40);
  });

  test('of a URL is answered without content', async () => {
    const { service, id } = await withQuestion({
      mode: 'url',
      message: 'sign in',
      url: 'https://example.org/',
    });
    const item = await service.item(id);
    expect(item).toMatchObject({
      kind: 'elicitation_url',
      request: { url: 'https://example.org/' },
    });
    await service.engine.respond(item.id, { action: 'accept' });
    expect(await answerOf(service, id)).toEqual({ action: 'accept' });
  });

  test('beside another elicitation holds the call until both are answered', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__ask' }]]),
      tools: { a__ask: asks([FORM, { mode: 'url', message: 'm', url: 'https://example.org/' }]) },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const [first, second] = await service.until(async () => {
      const items = await service.read.inboxItems({ runId: id, state: 'open' });
      return items.length === 2 ? items : undefined;
    });
    await service.engine.respond(first!.id, { action: 'decline' });
    await service.until(async () =>
      (await service.read.inboxItem(first!.id))?.state === 'delivered' ? true : undefined,
    );
    expect(await service.call(id)).toMatchObject({ state: 'input_required' });
    await service.engine.respond(second!.id, { action: 'cancel' });
    await service.settled(id);
    expect(await service.call(id)).toMatchObject({
      result: { content: [{ text: '[{"action":"decline"},{"action":"cancel"}]' }] },
    });
  });

  test('beyond sixteen open elicitations is refused', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__ask' }]]),
      tools: { a__ask: asks(Array.from({ length: 17 }, () => FORM)) },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.until(async () =>
      (await service.read.inboxItems({ runId: id, state: 'open' })).length === 16
        ? true
        : undefined,
    );
    await service.engine.cancelRun(id);
    await service.settled(id);
    expect((await service.read.inboxItems({ runId: id })).map((item) => item.state)).toEqual(
      Array.from({ length: 16 }, () => 'void'),
    );
  });

  test('takes no slot from other calls', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__ask' }, { name: 'a__other' }]]),
      tools: {
        a__ask: asks([FORM]),
        a__other: { annotations: READ_ONLY, call: () => Promise.resolve(ok('')) },
      },
      concurrency: { modelCalls: 1, toolCalls: 1 },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const item = await service.item(id);
    await service.status(id, 'input_required');
    expect(await service.call(id, 1)).toMatchObject({ state: 'succeeded' });
    await service.engine.respond(item.id, { action: 'decline' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  });

  test('is closed when its call ends before the response', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__ask' }]]),
      tools: {
        a__ask: {
          annotations: READ_ONLY,
          call: async ({ inputHandlers }) => {
            inputHandlers.elicit!(FORM, { signal: new AbortController().signal, meta: {} }).catch(
              () => undefined,
            );
            await service.until(async () => (await service.read.inboxItems({ state: 'open' }))[0]);
            return ok('did not wait');
          },
        },
      },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect((await service.read.inboxItems({ runId: id })).map((item) => item.state)).toEqual([
      'void',
    ]);
  });

  test('is not delivered when its call ends before the response arrives', async () => {
    const answered = Promise.withResolvers<void>();
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__ask' }]]),
      tools: {
        a__ask: {
          annotations: READ_ONLY,
          call: async ({ inputHandlers }) => {
            inputHandlers.elicit!(FORM, { signal: new AbortController().signal, meta: {} }).catch(
              () => undefined,
            );
            await answered.promise;
            return ok('did not wait');
          },
        },
      },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const item = await service.item(id);
    // The waiting request reads the response only after the call has ended.
    const ended = Promise.withResolvers<void>();
    const inboxItem = service.store.read.inboxItem.bind(service.store.read);
    vi.spyOn(service.store.read, 'inboxItem').mockImplementation(async (itemId) => {
      const read = await inboxItem(itemId);
      if (read?.state === 'answered') await ended.promise;
      return read;
    });
    service.onSignal((signal) => {
      if (signal.type === 'inbox') answered.resolve();
    });
    await service.engine.respond(item.id, { action: 'decline' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    ended.resolve();
    await service.engine.close();
    expect((await service.read.inboxItem(item.id))?.state).toBe('void');
    expect((await service.types(id)).at(-1)).toBe('run.completed');
  });

  test('is closed when the run is cancelled, and the server gets a refusal', async () => {
    const received: unknown[] = [];
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__ask' }]]),
      tools: {
        a__ask: {
          annotations: READ_ONLY,
          call: (request) => {
            request.inputHandlers.elicit!(FORM, { signal: request.signal, meta: {} }).catch(
              (error: unknown) => received.push(error),
            );
            return untilCancelled('delivered')(request);
          },
        },
      },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const item = await service.item(id);
    await service.engine.cancelRun(id);
    expect(await service.settled(id)).toMatchObject({ status: 'cancelled' });
    expect((await service.read.inboxItem(item.id))?.state).toBe('void');
    await service.engine.close();
    expect(received[0]).toBeInstanceOf(ProtocolError);
  });
});

describe('sampling', () => {
  const PARAMS: CreateMessageParams = {
    messages: [{ role: 'user', content: { type: 'text', text: 'Summarise' } }],
    systemPrompt: 'short',
    maxTokens: 100,
    temperature: 0.5,
  };

  async function sampled(
    policy: ServerPolicy['sampling'],
    params: CreateMessageParams = PARAMS,
    reply: Reply = { text: 'a summary' },
  ): Promise<{
    readonly service: Service;
    readonly id: string;
    readonly outcome: () => Promise<CreateMessageResult | string>;
  }> {
    const answered = Promise.withResolvers<CreateMessageResult | string>();
    const agent = callsThenAnswer([[{ name: 'a__sum' }]]);
    const tool: FakeTool = {
      annotations: READ_ONLY,
      call: async ({ inputHandlers }): Promise<ToolCallOutcome> => {
        answered.resolve(
          await inputHandlers.sample!(params, {
            signal: new AbortController().signal,
            meta: {},
          }).catch((error: unknown) =>
            error instanceof ProtocolError ? `${error.code} ${error.message}` : String(error),
          ),
        );
        return ok('');
      },
    };
    const service = await openService({
      script: (request, index) => (request.purpose === 'sampling' ? reply : agent(request, index)),
      tools: { a__sum: tool },
      policies: { a: { approval: 'auto', sampling: policy } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go', model: 'big' });
    return { service, id, outcome: () => answered.promise };
  }

  test('that is allowed is served by the model of the run and charged to it', async () => {
    const { service, id, outcome } = await sampled('auto');
    expect(await outcome()).toEqual({
      role: 'assistant',
      content: { type: 'text', text: 'a summary' },
      model: 'fake-1',
      stopReason: 'endTurn',
    });
    expect(await service.settled(id)).toMatchObject({ usage: { input: 30, output: 15 }, turns: 2 });
    expect(service.llm.requests[1]).toMatchObject({
      purpose: 'sampling',
      model: 'big',
      system: 'short',
      maxTokens: 100,
      temperature: 0.5,
      tools: [],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Summarise' }] }],
    });
    const charges = (await service.events(id)).filter((event) => event.type === 'usage.updated');
    expect(charges[1]?.data).toMatchObject({
      source: 'server',
      server: 'a',
      usage: { input: 10 },
      total: { input: 20 },
    });
  });

  test('needs approval by default, and is served when it is approved', async () => {
    const { service, id, outcome } = await sampled('ask');
    const item = await service.item(id);
    expect(item).toMatchObject({
      kind: 'sampling_approval',
      request: {
        server: 'a',
        messages: PARAMS.messages,
        system_prompt: 'short',
        max_tokens: 100,
        model: 'big',
      },
    });
    expect(service.llm.requests).toHaveLength(1);
    await service.engine.respond(item.id, { action: 'approve' });
    expect(await outcome()).toMatchObject({ model: 'fake-1' });
  });

  test('that a person denies is refused with -1', async () => {
    const { service, id, outcome } = await sampled('ask');
    await service.engine.respond((await service.item(id)).id, { action: 'deny' });
    expect(await outcome()).toBe('-1 User rejected sampling request');
    await service.settled(id);
    expect(service.llm.requests.filter((request) => request.purpose === 'sampling')).toEqual([]);
  });

  test('without approval is refused when the item expires', async () => {
    const { service, id, outcome } = await sampled('ask');
    await service.item(id);
    service.clock.advance(86_400_000);
    expect(await outcome()).toBe('-1 Nobody approved the sampling request in time.');
  });

  test('is refused to a server without permission', async () => {
    const { service, id, outcome } = await sampled('deny');
    expect(await outcome()).toBe(
      '-1 Sampling is not allowed for this server by the configuration of this host.',
    );
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  });

  test.each<[string, Partial<CreateMessageParams>, string]>([
    ['no messages', { messages: [] }, '-32602 messages must not be empty'],
    [
      'more than 2 MiB',
      { systemPrompt: 's'.repeat(2 * 1024 * 1024) },
      '-32602 the request has more than 2097152 bytes',
    ],
    ['no tokens', { maxTokens: 0 }, '-32602 maxTokens must be a positive integer'],
    [
      'two tools of one name',
      {
        tools: [
          { name: 'x', inputSchema: { type: 'object' } },
          { name: 'x', inputSchema: { type: 'object' } },
        ],
      },
      '-32602 tools must have different names, and an inputSchema that is an object',
    ],
    [
      'an order to call none of no tools',
      { toolChoice: { mode: 'required' } },
      '-32602 toolChoice.mode is required, and there are no tools',
    ],
    [
      'a call in the words of a user',
      {
        messages: [
          { role: 'user', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] },
        ],
      },
      '-32602 messages.0: content of type tool_use is not complete, or not allowed for the role user',
    ],
    [
      'an image without data',
      { messages: [{ role: 'user', content: { type: 'image', mimeType: 'image/png' } as never }] },
      '-32602 messages.0: content of type image is not complete, or not allowed for the role user',
    ],
  ])('with %s is refused before an approval is requested', async (_case, params, message) => {
    const { service, id, outcome } = await sampled('ask', { ...PARAMS, ...params });
    expect(await outcome()).toBe(message);
    await service.settled(id);
    expect(await service.read.inboxItems({ runId: id })).toEqual([]);
  });

  test('that outlives its call is aborted and is not charged to the run', async () => {
    const received = Promise.withResolvers<unknown>();
    const agent = callsThenAnswer([[{ name: 'a__sum' }]]);
    const asked = Promise.withResolvers<void>();
    const service = await openService({
      script: (request, index) => {
        if (request.purpose === 'agent') return agent(request, index);
        asked.resolve();
        return { text: 'late', hold: new Promise<never>(() => undefined) };
      },
      tools: {
        a__sum: {
          annotations: READ_ONLY,
          call: async ({ inputHandlers }) => {
            inputHandlers.sample!(PARAMS, { signal: new AbortController().signal, meta: {} }).catch(
              received.resolve,
            );
            await asked.promise;
            return ok('did not wait');
          },
        },
      },
      policies: { a: { approval: 'auto', sampling: 'auto' } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed', usage: { input: 20 } });
    expect(await received.promise).toBeInstanceOf(ProtocolError);
  });

  test('whose model call fails returns an error to the server and does not fail the run', async () => {
    const { service, id, outcome } = await sampled('auto', PARAMS, {
      fail: new LlmError('rate', 'too many requests'),
    });
    expect(await outcome()).toBe('-32603 The model call failed: too many requests');
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  });

  test.each([
    ['max_tokens', 'maxTokens'],
    ['stop_sequence', 'stopSequence'],
    ['refusal', 'refusal'],
  ] as const)('stop reason %s is sent as %s', async (stop, stopReason) => {
    const { outcome } = await sampled('auto', PARAMS, { text: 'x', stop });
    expect(await outcome()).toMatchObject({ stopReason });
  });
});
