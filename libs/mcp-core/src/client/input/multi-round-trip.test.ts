import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { metaOf } from '../../era/meta-keys.ts';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import type { ElicitResult } from '../../protocol/client-features.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Client } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import type { InputHandlers, InputRoundStore } from './input-handlers.ts';
import { discovered, ScriptedServer, type Step } from '../testing/scripted-server.test.support.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

interface Connected {
  readonly client: Client;
  readonly server: ScriptedServer;
}

/** A modern server that answers calls with these, one after the other, the last one for ever. */
async function connect(
  answers: readonly JsonObject[],
  options: Partial<ClientOptions> = {},
): Promise<Connected> {
  let calls = 0;
  const next: Step = () => {
    const result = answers[Math.min(calls, answers.length - 1)]!;
    calls += 1;
    return { result };
  };
  const server = new ScriptedServer({
    'server/discover': discovered,
    'tools/call': next,
    'prompts/get': next,
    'resources/read': next,
    'tools/list': next,
  });
  return {
    server,
    client: await connectClient(() => server, {
      info: { name: 't', version: '0' },
      era: 'modern',
      ...options,
    }),
  };
}

function asking(inputRequests: JsonObject, requestState?: string): JsonObject {
  return {
    resultType: 'input_required',
    inputRequests,
    ...(requestState === undefined ? {} : { requestState }),
  };
}

function paramsOf(server: ScriptedServer, method = 'tools/call'): JsonObject[] {
  return server.all(method).map(({ params }) => {
    const { _meta: _, ...rest } = params!;
    return rest;
  });
}

const done = { content: [{ type: 'text', text: 'done' }] };
const form = {
  method: 'elicitation/create',
  params: {
    message: 'Name?',
    requestedSchema: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    },
  },
};
const sampling = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 10 },
};
const accept = (name: string): Promise<ElicitResult> =>
  Promise.resolve({ action: 'accept', content: { name } });
const sample: InputHandlers['sample'] = () =>
  Promise.resolve({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' });

describe('a call whose result is input_required', () => {
  test('is sent again with all input responses, the original params, the unchanged state, and a new id', async () => {
    const state = ' {"no": "json"}\u0000=';
    const { client, server } = await connect(
      [asking({ who: form, model: sampling, where: { method: 'roots/list' } }, state), done],
      {
        handlers: {
          elicit: () => accept('Ann'),
          sample,
          listRoots: () => Promise.resolve([{ uri: 'file:///a' }]),
        },
      },
    );
    expect(await client.callTool('a', { x: 1 }, { meta: { 'dev.example/k': 'v' } })).toEqual(done);
    const inputResponses = {
      who: { action: 'accept', content: { name: 'Ann' } },
      model: { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' },
      where: { roots: [{ uri: 'file:///a' }] },
    };
    expect(paramsOf(server)).toEqual([
      { name: 'a', arguments: { x: 1 } },
      { name: 'a', arguments: { x: 1 }, inputResponses, requestState: state },
    ]);
    const [first, second] = server.all('tools/call');
    expect(second!.id).not.toBe(first!.id);
    expect([metaOf(first!.params), metaOf(second!.params)]).toEqual(
      [first, second].map(
        (call) =>
          expect.objectContaining({ 'dev.example/k': 'v', progressToken: call!.id }) as JsonObject,
      ),
    );
    expect(metaOf(first!.params)['io.modelcontextprotocol/clientCapabilities']).toMatchObject({
      sampling: {},
      elicitation: { form: {} },
      roots: { listChanged: true },
    });
  });

  test('names its call to the handlers', async () => {
    const seen: unknown[] = [];
    const elicit: InputHandlers['elicit'] = (_params, { request }) => {
      seen.push(request);
      return accept('Ann');
    };
    const { client } = await connect([asking({ who: form }), asking({ again: form }), done], {
      handlers: { elicit },
    });
    const meta = { 'dev.example/run': 7 };
    await client.callTool('a', {}, { meta });
    await client.callTool('b', {});
    expect(seen).toEqual([
      { method: 'tools/call', name: 'a', meta },
      { method: 'tools/call', name: 'a', meta },
    ]);
    expect((seen[0] as { meta: unknown }).meta).toBe(meta);
  });

  test('is saved before a handler runs and discarded before the request is sent again', async () => {
    const steps: unknown[] = [];
    const store: InputRoundStore = {
      save: async (round) => void steps.push(round),
      discard: async () =>
        void steps.push(`discarded after ${server.all('tools/call').length} calls`),
    };
    const elicit: InputHandlers['elicit'] = (_params, { key }) => {
      steps.push(key);
      return accept('Ann');
    };
    const { client, server } = await connect(
      [asking({ who: form }, 's1'), asking({ again: form }), done],
      { handlers: { elicit } },
    );
    await client.callTool('a', {}, { inputRounds: { store } });
    expect(steps).toEqual([
      { inputRequests: { who: form }, requestState: 's1' },
      'who',
      'discarded after 1 calls',
      { inputRequests: { again: form } },
      'again',
      'discarded after 2 calls',
    ]);
  });

  test.each(['save', 'discard'] as const)('rejects when its store fails in `%s`', async (step) => {
    const store: InputRoundStore = {
      save: () => Promise.resolve(),
      discard: () => Promise.resolve(),
      [step]: () => Promise.reject(new Error('disk full')),
    };
    const { client, server } = await connect([asking({ who: form }), done], {
      handlers: { elicit: () => accept('Ann') },
    });
    await expect(client.callTool('a', {}, { inputRounds: { store } })).rejects.toThrow('disk full');
    expect(server.all('tools/call')).toHaveLength(1);
  });

  test('resumes from a stored round', async () => {
    const save = vi.fn<InputRoundStore['save']>(() => Promise.resolve());
    const { client, server } = await connect([asking({ next: form }, 's2'), done], {
      handlers: { elicit: () => accept('Ann') },
    });
    const store: InputRoundStore = { save, discard: () => Promise.resolve() };
    expect(
      await client.callTool(
        'a',
        { x: 1 },
        { inputRounds: { store, resume: { inputRequests: { who: form }, requestState: 's1' } } },
      ),
    ).toEqual(done);
    const answer = { action: 'accept', content: { name: 'Ann' } };
    expect(paramsOf(server)).toEqual([
      { name: 'a', arguments: { x: 1 }, inputResponses: { who: answer }, requestState: 's1' },
      { name: 'a', arguments: { x: 1 }, inputResponses: { next: answer }, requestState: 's2' },
    ]);
    expect(save.mock.calls).toEqual([[{ inputRequests: { next: form }, requestState: 's2' }]]);
  });

  test('cannot have more than a thousand input requests at once', async () => {
    const elicit = vi.fn<NonNullable<InputHandlers['elicit']>>(() => accept('Ann'));
    const { client } = await connect(
      [asking(Object.fromEntries(Array.from({ length: 1001 }, (_, key) => [key, form]))), done],
      { handlers: { elicit } },
    );
    await expect(client.callTool('a', {})).rejects.toMatchObject({ code: 'invalid-response' });
    expect(elicit).not.toHaveBeenCalled();
  });

  test('rejects roots that are not file URIs', async () => {
    const { client } = await connect([asking({ where: { method: 'roots/list' } }), done], {
      handlers: { listRoots: () => Promise.resolve([{ uri: 'https://example.com/' }]) },
    });
    await expect(client.callTool('a', {})).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  test('sends in each round only its own responses, and a state only when the server sent one', async () => {
    const { client, server } = await connect(
      [
        asking({ a: form }, 's1'),
        asking({ b: form }),
        { resultType: 'input_required', requestState: 's3' },
        done,
      ],
      { handlers: { elicit: () => accept('x') } },
    );
    await client.callTool('t', {});
    const answer = { action: 'accept', content: { name: 'x' } };
    expect(paramsOf(server).slice(1)).toEqual([
      { name: 't', arguments: {}, inputResponses: { a: answer }, requestState: 's1' },
      { name: 't', arguments: {}, inputResponses: { b: answer } },
      { name: 't', arguments: {}, requestState: 's3' },
    ]);
  });

  test('runs the handlers of a round concurrently', async () => {
    const open: string[] = [];
    const all = Promise.withResolvers<void>();
    const { client } = await connect([asking({ a: form, b: form }), done], {
      handlers: {
        elicit: async ({ message }) => {
          open.push(message);
          if (open.length === 2) all.resolve();
          await all.promise;
          return { action: 'decline' };
        },
      },
    });
    expect(await client.callTool('t', {})).toEqual(done);
  });

  test.each<[string, (client: Client) => Promise<unknown>, JsonObject]>([
    ['prompts/get', (client) => client.getPrompt('p', { a: 'b' }), { messages: [] }],
    [
      'resources/read',
      (client) => client.readResource('file:///a'),
      { contents: [], ttlMs: 60_000, cacheScope: 'public' },
    ],
  ])('may be %s', async (method, ask, result) => {
    const { client, server } = await connect(
      [asking({ a: form }, 's'), { resultType: 'complete', ...result }],
      { handlers: { elicit: () => Promise.resolve({ action: 'decline' }) } },
    );
    await ask(client);
    expect(paramsOf(server, method)[1]).toMatchObject({
      inputResponses: { a: { action: 'decline' } },
      requestState: 's',
    });
  });

  test('must use a method that allows it', async () => {
    const { client } = await connect([asking({ a: form })], {
      handlers: { elicit: () => accept('x') },
    });
    await expect(client.listTools()).rejects.toMatchObject({
      code: 'invalid-response',
      message: expect.stringContaining('tools/list') as string,
    });
  });

  test('rejects after ten rounds, or the number that the host allows', async () => {
    for (const [maxInputRounds, calls] of [
      [undefined, 11],
      [2, 3],
    ] as const) {
      const { client, server } = await connect(
        [{ resultType: 'input_required', requestState: 's' }],
        maxInputRounds === undefined ? {} : { limits: { maxInputRounds } },
      );
      await expect(client.callTool('t', {})).rejects.toMatchObject({
        code: 'invalid-response',
        sent: true,
      });
      expect(server.all('tools/call')).toHaveLength(calls);
    }
  });
});

describe('an input request of a modern server', () => {
  test.each<[string, JsonObject, Partial<ClientOptions>, string]>([
    [
      'that is refused',
      { a: sampling },
      { handlers: { sample: () => Promise.reject(new ProtocolError(-1, 'User rejected it')) } },
      'input-refused',
    ],
    ['of a kind nobody answers', { a: sampling }, {}, 'capability-missing'],
    [
      'of an unknown method',
      { a: { method: 'tools/list' } },
      { handlers: { sample } },
      'capability-missing',
    ],
    ['that is no request', { a: 'Name?' }, { handlers: { sample } }, 'invalid-response'],
    [
      'that is malformed',
      { a: { method: 'elicitation/create', params: { mode: 'form' } } },
      { handlers: { elicit: () => accept('x') } },
      'input-refused',
    ],
    [
      'in a mode that was not declared',
      {
        a: {
          method: 'elicitation/create',
          params: { mode: 'url', message: 'Open', url: 'https://example.org' },
        },
      },
      { handlers: { elicit: () => accept('x') } },
      'input-refused',
    ],
    [
      'with tools that were not declared',
      { a: { ...sampling, params: { ...sampling.params, tools: [] } } },
      { handlers: { sample } },
      'input-refused',
    ],
    [
      'whose response does not fit the form',
      { a: form },
      { handlers: { elicit: () => Promise.resolve({ action: 'accept', content: {} }) } },
      'invalid-argument',
    ],
    [
      'with roots that are not file URIs',
      { a: { method: 'roots/list' } },
      { handlers: { listRoots: () => Promise.resolve([{ uri: 'https://example.org' }]) } },
      'invalid-argument',
    ],
  ])('%s rejects the call without a retry', async (_name, questions, options, code) => {
    const { client, server } = await connect([asking(questions, 's'), done], options);
    await expect(client.callTool('t', {})).rejects.toMatchObject({ code });
    expect(server.all('tools/call')).toHaveLength(1);
  });

  test('gets the defaults of the form when the host enables them', async () => {
    const requestedSchema = {
      type: 'object',
      properties: { name: { type: 'string', default: 'Jo' }, age: { type: 'integer', default: 3 } },
      required: ['name', 'age'],
    };
    const question = { method: 'elicitation/create', params: { message: '?', requestedSchema } };
    const { client, server } = await connect([asking({ a: question }), done], {
      handlers: { elicit: () => Promise.resolve({ action: 'accept', content: { age: 4 } }) },
      capabilities: { applyDefaults: true },
    });
    await client.callTool('t', {});
    expect(paramsOf(server)[1]!.inputResponses).toEqual({
      a: { action: 'accept', content: { name: 'Jo', age: 4 } },
    });
  });

  test('is aborted when another input request of its round is refused', async () => {
    const withdrawn = Promise.withResolvers<unknown>();
    const { client } = await connect([asking({ a: form, b: sampling })], {
      handlers: {
        elicit: (_params, { signal }) =>
          new Promise(() =>
            signal.addEventListener('abort', () => withdrawn.resolve(signal.reason)),
          ),
        sample: () => Promise.reject(new ProtocolError(-1, 'no')),
      },
    });
    await expect(client.callTool('t', {})).rejects.toMatchObject({
      code: 'input-refused',
      cause: expect.objectContaining({ code: -1 }) as Error,
    });
    expect(await withdrawn.promise).toMatchObject({ code: 'input-refused' });
  });

  test.each<[string, (server: ScriptedServer, stop: AbortController) => void, string]>([
    ['the call is cancelled', (_server, stop) => stop.abort(), 'request-cancelled'],
    ['the connection ends', (server) => server.crash(new Error('gone')), 'connection-lost'],
  ])('is aborted when %s', async (_name, happens, code) => {
    const stop = new AbortController();
    const asked = Promise.withResolvers<AbortSignal>();
    const { client, server } = await connect([asking({ a: form })], {
      handlers: { elicit: (_params, { signal }) => new Promise(() => asked.resolve(signal)) },
    });
    const call = client.callTool('t', {}, { signal: stop.signal }).catch((error: unknown) => error);
    const signal = await asked.promise;
    happens(server, stop);
    expect(await call).toMatchObject({ code, sent: true });
    expect(signal.aborted).toBe(true);
    expect(server.all('tools/call')).toHaveLength(1);
  });

  test('pauses the limits of its call', async () => {
    const answer = Promise.withResolvers<ElicitResult>();
    const server = new ScriptedServer({ 'server/discover': discovered });
    const client = await connectClient(() => server, {
      info: { name: 't', version: '0' },
      era: 'modern',
      handlers: { elicit: () => answer.promise },
    });
    const call = client.callTool('t', {}, { maxTotalMs: 800 }).catch((error: unknown) => error);
    const { id } = await server.receives('tools/call');
    await vi.advanceTimersByTimeAsync(300);
    server.deliver({ id, result: asking({ a: form }) });
    await vi.advanceTimersByTimeAsync(3_600_000);
    answer.resolve({ action: 'cancel' });
    await server.receives('tools/call', 2);
    await vi.advanceTimersByTimeAsync(499);
    expect(server.all('notifications/cancelled')).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await call).toMatchObject({
      code: 'request-timeout',
      message: expect.stringContaining('800 ms') as string,
    });
  });
});
