import { describe, expect, test, vi } from 'vitest';
import type { ElicitResult } from '../../protocol/client-features.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import type { InputContext } from './input-handlers.ts';
import {
  discovered,
  initialized,
  ScriptedServer,
} from '../testing/scripted-server.test.support.ts';

async function connect(
  options: Partial<ClientOptions>,
  version = '2025-11-25',
): Promise<ScriptedServer> {
  const server = new ScriptedServer({
    initialize: initialized(version),
    'server/discover': discovered,
  });
  await connectClient(() => server, {
    info: { name: 't', version: '0' },
    era: 'legacy',
    ...options,
  });
  return server;
}

const sampling = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
  maxTokens: 10,
  _meta: { trace: 1 },
};
const form = {
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
};

describe("a legacy server's input request", () => {
  test('is answered by its handler', async () => {
    const seen: unknown[] = [];
    const server = await connect({
      handlers: {
        sample: (params, { meta }) => {
          seen.push(params.maxTokens, meta);
          return Promise.resolve({
            role: 'assistant',
            content: { type: 'text', text: 'Hello' },
            model: 'm',
            stopReason: 'endTurn',
          });
        },
        elicit: (params) =>
          Promise.resolve({ action: 'accept', content: { name: params.message } }),
        listRoots: () => Promise.resolve([{ uri: 'file:///a', name: 'A' }]),
      },
    });
    server.deliver({ id: 0, method: 'sampling/createMessage', params: sampling });
    server.deliver({ id: 'e', method: 'elicitation/create', params: form });
    server.deliver({ id: 'r', method: 'roots/list' });
    expect((await server.answerTo(0)).result).toMatchObject({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'Hello' },
    });
    expect((await server.answerTo('e')).result).toEqual({
      action: 'accept',
      content: { name: 'Name?' },
    });
    expect((await server.answerTo('r')).result).toEqual({
      roots: [{ uri: 'file:///a', name: 'A' }],
    });
    expect(seen).toEqual([10, { trace: 1 }]);
  });

  test('does not wait for another request', async () => {
    const server = await connect({
      handlers: {
        elicit: () => new Promise(() => undefined),
        listRoots: () => Promise.resolve([]),
      },
    });
    server.deliver({ id: 1, method: 'elicitation/create', params: form });
    server.deliver({ id: 2, method: 'roots/list' });
    server.deliver({ id: 3, method: 'ping' });
    expect((await server.answerTo(2)).result).toEqual({ roots: [] });
    expect((await server.answerTo(3)).result).toEqual({});
  });

  test('without a handler, or of a revision that does not have it, is an unknown method', async () => {
    const server = await connect(
      { handlers: { elicit: () => Promise.resolve({ action: 'cancel' }) } },
      '2025-03-26',
    );
    for (const [id, method] of Object.entries([
      'roots/list',
      'elicitation/create',
      'tools/list',
      'no/such',
    ]))
      server.deliver({ id, method, params: form });
    for (const id of ['0', '1', '2', '3'])
      expect((await server.answerTo(id)).error?.code).toBe(-32601);
  });

  test('that is malformed is refused before the handler sees it', async () => {
    let isAsked = false;
    const elicit = (): Promise<ElicitResult> => {
      isAsked = true;
      return Promise.resolve({ action: 'cancel' });
    };
    const server = await connect({ handlers: { elicit } });
    server.deliver({ id: 1, method: 'elicitation/create', params: { message: 5 } });
    expect((await server.answerTo(1)).error?.code).toBe(-32602);
    expect(isAsked).toBe(false);
  });

  test('is answered with the ProtocolError of its handler', async () => {
    const server = await connect({
      handlers: {
        sample: () =>
          Promise.reject(
            new ProtocolError(-1, 'User rejected sampling request', { data: { by: 'ann' } }),
          ),
      },
    });
    server.deliver({ id: 1, method: 'sampling/createMessage', params: sampling });
    expect((await server.answerTo(1)).error).toEqual({
      code: -1,
      message: 'User rejected sampling request',
      data: { by: 'ann' },
    });
  });

  test('for roots is answered with an error when a root is not a file URI, and the problem is reported', async () => {
    const problems: Error[] = [];
    const server = await connect({
      handlers: {
        listRoots: () => Promise.resolve([{ uri: 'file:///a' }, { uri: 'https://example.com/' }]),
      },
      events: { onProblem: (problem) => problems.push(problem) },
    });
    server.deliver({ id: 1, method: 'roots/list' });
    expect((await server.answerTo(1)).error).toMatchObject({ code: -32603 });
    expect(problems.map(({ cause }) => cause)).toMatchObject([
      {
        code: 'invalid-argument',
        message: expect.stringContaining('https://example.com/') as string,
      },
    ]);
  });

  test('is answered without internals when its handler fails otherwise', async () => {
    const problems: Error[] = [];
    const server = await connect({
      handlers: {
        sample: () => Promise.reject(new Error('key sk-123 refused')),
        listRoots: () => {
          throw new Error('sync');
        },
      },
      events: { onProblem: (problem) => problems.push(problem) },
    });
    server.deliver({ id: 1, method: 'sampling/createMessage', params: sampling });
    server.deliver({ id: 2, method: 'roots/list' });
    expect((await server.answerTo(1)).error).toEqual({ code: -32603, message: 'Internal error' });
    expect((await server.answerTo(2)).error).toEqual({ code: -32603, message: 'Internal error' });
    expect(problems.map(({ cause }) => (cause as Error).message).toSorted()).toEqual([
      'key sk-123 refused',
      'sync',
    ]);
  });

  test('that the server withdraws aborts its handler and is not answered', async () => {
    const contexts: InputContext[] = [];
    const server = await connect({
      handlers: {
        elicit: (_params, context) => {
          contexts.push(context);
          return new Promise((resolve) =>
            context.signal.addEventListener('abort', () => resolve({ action: 'cancel' })),
          );
        },
      },
    });
    server.deliver({ id: 7, method: 'elicitation/create', params: form });
    await vi.waitFor(() => expect(contexts).toHaveLength(1), 10_000);
    server.notify('notifications/cancelled', { requestId: '7' });
    expect(contexts[0]!.signal.aborted).toBe(false);
    server.notify('notifications/cancelled', { requestId: 7, reason: 'too late' });
    expect(contexts[0]!.signal.aborted).toBe(true);
    expect((contexts[0]!.signal.reason as Error).message).toContain('too late');
    server.deliver({ id: 8, method: 'ping' });
    await server.answerTo(8);
    expect(server.received.filter(({ id, method }) => id === 7 && method === undefined)).toEqual(
      [],
    );
  });

  test('is aborted when the connection ends', async () => {
    const aborted = Promise.withResolvers<unknown>();
    const server = await connect({
      handlers: {
        listRoots: ({ signal }) =>
          new Promise(() => signal.addEventListener('abort', () => aborted.resolve(signal.reason))),
      },
    });
    server.deliver({ id: 1, method: 'roots/list' });
    await new Promise(setImmediate);
    server.crash(new Error('gone'));
    expect(await aborted.promise).toEqual(new Error('gone'));
  });

  test('in a batch is answered in one, where the revision has batches', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } },
    ];
    const [without, having] = [await connect({}, '2025-11-25'), await connect({}, '2025-03-26')];
    for (const server of [without, having]) server.deliverRaw(batch);
    await new Promise(setImmediate);
    expect(having.received.at(-1)).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(without.received.at(-1)).toMatchObject({ method: 'notifications/initialized' });
  });
});

test('a request of a modern server is not answered at all', async () => {
  const server = await connect({
    era: 'modern',
    handlers: { listRoots: () => Promise.resolve([]) },
  });
  server.deliver({ id: 1, method: 'roots/list' });
  server.deliver({ id: 2, method: 'ping' });
  await new Promise(setImmediate);
  expect(server.received.map(({ method }) => method)).toEqual(['server/discover']);
});

describe('input that was not declared', () => {
  const url = { mode: 'url', message: 'Open', url: 'https://example.org', elicitationId: 'e1' };
  const tool = { name: 't', inputSchema: { type: 'object' } };
  const handlers = {
    elicit: () => Promise.resolve<ElicitResult>({ action: 'decline' }),
    sample: () =>
      Promise.resolve({
        role: 'assistant' as const,
        content: { type: 'text' as const, text: 'Hello' },
        model: 'm',
      }),
  };

  test.each<[string, string, object, Partial<ClientOptions>]>([
    ['a URL to open', 'elicitation/create', url, { handlers }],
    [
      'a form',
      'elicitation/create',
      form,
      { handlers, capabilities: { elicitationForm: false, elicitationUrl: true } },
    ],
    ['tools', 'sampling/createMessage', { ...sampling, tools: [tool] }, { handlers }],
    [
      'a choice of tools',
      'sampling/createMessage',
      { ...sampling, toolChoice: { mode: 'auto' } },
      { handlers },
    ],
  ])('%s is refused before the handler sees it', async (_name, method, params, options) => {
    const server = await connect(options);
    server.deliver({ id: 1, method, params });
    expect((await server.answerTo(1)).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('did not declare') as string,
    });
  });

  test('is answered once it is declared', async () => {
    const server = await connect({
      handlers,
      capabilities: { elicitationUrl: true, samplingTools: true },
    });
    server.deliver({ id: 1, method: 'elicitation/create', params: url });
    server.deliver({
      id: 2,
      method: 'sampling/createMessage',
      params: { ...sampling, tools: [tool] },
    });
    expect((await server.answerTo(1)).result).toEqual({ action: 'decline' });
    expect((await server.answerTo(2)).result).toMatchObject({ model: 'm' });
  });
});

describe('the response to a form', () => {
  const asked = {
    message: '?',
    requestedSchema: {
      type: 'object',
      properties: { name: { type: 'string', default: 'Jo' }, age: { type: 'integer' } },
      required: ['name'],
    },
  };
  const accepting = (content: ElicitResult['content'] & object): Partial<ClientOptions> => ({
    handlers: { elicit: () => Promise.resolve({ action: 'accept', content }) },
  });

  test('gets the defaults of missing fields when the host enables them', async () => {
    const server = await connect({
      ...accepting({ age: 3 }),
      capabilities: { applyDefaults: true },
    });
    server.deliver({ id: 1, method: 'elicitation/create', params: asked });
    expect((await server.answerTo(1)).result).toEqual({
      action: 'accept',
      content: { name: 'Jo', age: 3 },
    });
  });

  test.each([{ age: 3 }, { name: 'Jo', age: 'three' }])(
    'that does not fit, like %j, is not sent, and the problem is reported',
    async (content) => {
      const problems: unknown[] = [];
      const server = await connect({
        ...accepting(content),
        events: { onProblem: ({ cause }) => problems.push(cause) },
      });
      server.deliver({ id: 1, method: 'elicitation/create', params: asked });
      expect((await server.answerTo(1)).error).toMatchObject({ code: -32603 });
      expect(problems).toEqual([expect.objectContaining({ code: 'invalid-argument' })]);
    },
  );
});

describe('the messages of a sampling request', () => {
  const text = { type: 'text', text: 'Hi' };
  const use = (id: string): object => ({ type: 'tool_use', id, name: 't', input: {} });
  const result = (toolUseId: string): object => ({ type: 'tool_result', toolUseId, content: [] });

  test.each<[string, readonly object[], boolean]>([
    ['without tools', [{ role: 'user', content: text }], true],
    [
      'with a result for each call',
      [
        { role: 'assistant', content: [text, use('a'), use('b')] },
        { role: 'user', content: [result('b'), result('a')] },
      ],
      true,
    ],
    [
      'with a call that has no result',
      [
        { role: 'assistant', content: [use('a'), use('b')] },
        { role: 'user', content: [result('a')] },
      ],
      false,
    ],
    ['that ends with a call', [{ role: 'assistant', content: use('a') }], false],
    [
      'that continue before the result',
      [
        { role: 'assistant', content: use('a') },
        { role: 'user', content: text },
        { role: 'user', content: result('a') },
      ],
      false,
    ],
    [
      'with a result among other content',
      [
        { role: 'assistant', content: use('a') },
        { role: 'user', content: [result('a'), text] },
      ],
      false,
    ],
  ])('%s is accepted or refused', async (_name, messages, isAccepted) => {
    const server = await connect({
      handlers: {
        sample: () =>
          Promise.resolve({
            role: 'assistant',
            content: { type: 'text', text: 'Hello' },
            model: 'm',
          }),
      },
      capabilities: { samplingTools: true },
    });
    server.deliver({
      id: 1,
      method: 'sampling/createMessage',
      params: { messages, maxTokens: 10 },
    });
    const { error } = await server.answerTo(1);
    expect(error?.code).toBe(isAccepted ? undefined : -32602);
  });
});
