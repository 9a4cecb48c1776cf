import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { PROTOCOL_VERSIONS } from '../../era/versions.ts';
import { ErrorCode, ProtocolError } from '../../protocol/errors.ts';
import { createServer } from '../../server/create-server.ts';
import { defineMethod } from '../../server/extensions/custom-methods.ts';
import type { ServerOptions } from '../../server/server.ts';
import { connectInMemory } from '../../testing/connect-in-memory.ts';
import { connectRaw, initialize } from '../../testing/raw-client.test.support.ts';
import { speak } from '../../testing/speak.test.support.ts';
import type { ClientOptions } from '../client-options.ts';
import { defineClientMethod } from './custom-methods.ts';

const info = { name: 'test', version: '1' };
const ERAS = ['modern', 'legacy'] as const;

const search = defineMethod({
  params: {
    type: 'object',
    properties: { query: { type: 'string' } },
    required: ['query'],
    additionalProperties: false,
  },
  handler: ({ query }) => {
    expectTypeOf(query).toEqualTypeOf<string>();
    return { found: [query], ttlMs: 5, nextCursor: 7 };
  },
});
const found = {
  type: 'object',
  properties: { found: { type: 'array', items: { type: 'string' } } },
  required: ['found'],
} as const;

describe('a custom method of a server', () => {
  test.each(PROTOCOL_VERSIONS)('%s: is served with validated params', async (version) => {
    const ask = await speak(
      createServer({ info, extensions: { methods: { 'acme/search': search } } }),
      version,
    );
    expect((await ask('acme/search', { query: 'x' })).result).toMatchObject({
      found: ['x'],
      ttlMs: 5,
    });
    expect(await ask('acme/search', { query: 7 })).toMatchObject({
      error: {
        code: -32602,
        message: 'Invalid params for acme/search: "query" must be of type string.',
      },
    });
  });

  test.each(ERAS)('%s: is requested by a client, with a typed result', async (era) => {
    const client = await connectInMemory(
      createServer({ info, extensions: { methods: { 'acme/search': search } } }),
      { info, era },
    );
    const result = await client.request('acme/search', { query: 'x' }, { result: found });
    expectTypeOf(result.found).toEqualTypeOf<readonly string[]>();
    expect(result.found).toEqual(['x']);
    expect(await client.request('acme/search', { query: 'x' })).toMatchObject({ nextCursor: 7 });
    await expect(
      client.request('acme/search', { query: 'x' }, { result: { ...found, required: ['other'] } }),
    ).rejects.toMatchObject({ code: 'invalid-response' });
    await expect(client.request('acme/none')).rejects.toMatchObject({ code: -32601 });
    await client.close();
  });

  test('gets progress, cancellation and protocol errors like any other', async () => {
    const steps: unknown[] = [];
    const cancelled = Promise.withResolvers<unknown>();
    const client = await connectInMemory(
      createServer({
        info,
        extensions: {
          methods: {
            'acme/steps': {
              handler: async (_params, { progress, signal }) => {
                signal.addEventListener('abort', () => cancelled.resolve('cancelled'));
                await progress({ progress: 1 });
                await cancelled.promise;
                return {};
              },
            },
            'acme/refuse': {
              handler: () => {
                throw new ProtocolError(-31_000, 'No', { data: { why: 1 } });
              },
            },
          },
        },
      }),
    );
    const abort = new AbortController();
    const request = client.request(
      'acme/steps',
      {},
      {
        signal: abort.signal,
        onProgress: (step) => {
          steps.push(step);
          abort.abort();
        },
      },
    );
    await expect(request).rejects.toMatchObject({ code: 'request-cancelled' });
    expect(await cancelled.promise).toBe('cancelled');
    expect(steps).toEqual([{ progress: 1 }]);
    await expect(client.request('acme/refuse')).rejects.toMatchObject({
      code: -31_000,
      data: { why: 1 },
    });
    await client.close();
  });
});

describe('a custom method of a client', () => {
  const asking = createServer({
    info,
    extensions: {
      methods: {
        'acme/ask': {
          handler: async ({ text }: JsonObject, { request }) => ({
            answer: await request('acme/name', { text }),
          }),
        },
      },
    },
  });
  const methods = {
    'acme/name': defineClientMethod({
      params: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      handler: ({ text }) => {
        expectTypeOf(text).toEqualTypeOf<string>();
        return { name: text.toUpperCase() };
      },
    }),
  };

  test('responds to a legacy server', async () => {
    const client = await connectInMemory(asking, { info, era: 'legacy', extensions: { methods } });
    expect(await client.request('acme/ask', { text: 'ada' })).toEqual({ answer: { name: 'ADA' } });
    await expect(client.request('acme/ask', { text: 7 })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test('that does not exist is -32601 for the server', async () => {
    const client = await connectInMemory(asking, { info, era: 'legacy' });
    await expect(client.request('acme/ask')).rejects.toMatchObject({
      code: ErrorCode.methodNotFound,
    });
    await client.close();
  });

  test('is not requested in the modern era, where servers send no requests', async () => {
    const errors: unknown[] = [];
    const server = createServer({
      info,
      events: { onError: (error) => errors.push(error) },
      extensions: {
        methods: { 'acme/ask': { handler: (_params, { request }) => request('acme/name') } },
      },
    });
    const client = await connectInMemory(server, { info, era: 'modern', extensions: { methods } });
    await expect(client.request('acme/ask')).rejects.toMatchObject({ code: -32603 });
    expect(errors).toMatchObject([{ code: 'method-not-in-era' }]);
    await client.close();
  });
});

describe('custom notifications', () => {
  test.each(ERAS)('%s: reach the other side', async (era) => {
    const received: unknown[] = [];
    const arrived = Promise.withResolvers<undefined>();
    const server = createServer({
      info,
      extensions: {
        notifications: {
          'notifications/acme/seen': (params, session) => {
            received.push(params, session?.clientInfo?.name);
            arrived.resolve(undefined);
          },
        },
        methods: {
          'acme/run': {
            handler: async (_params, { notify }) => {
              await notify('notifications/acme/step', { step: 1 });
              return {};
            },
          },
        },
      },
    });
    const client = await connectInMemory(server, {
      info,
      era,
      extensions: {
        notifications: { 'notifications/acme/step': (params) => received.push(params) },
      },
    });
    await client.request('acme/run');
    expect(received).toEqual([{ step: 1 }]);
    await client.notify('notifications/acme/seen', { id: 1 });
    await arrived.promise;
    expect(received.slice(1)).toEqual([{ id: 1 }, era === 'legacy' ? 'test' : undefined]);
    await client.close();
  });

  test('of a server outside requests reach legacy sessions', async () => {
    const received: unknown[] = [];
    const server = createServer({ info });
    const notifications = { 'acme/step': (params: JsonObject) => received.push(params) };
    const client = await connectInMemory(server, {
      info,
      era: 'legacy',
      extensions: { notifications },
    });
    server.notify('acme/step', { step: 2 });
    await client.ping();
    expect(received).toEqual([{ step: 2 }]);
    await client.close();
  });

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('whose handler %s are reported', async (_outcome, fail) => {
    const problems: unknown[] = [];
    const server = createServer({
      info,
      extensions: { notifications: { 'acme/x': fail } },
      events: { onError: (error) => problems.push(error) },
    });
    const client = await connectInMemory(server, {
      info,
      era: 'legacy',
      extensions: { notifications: { 'acme/y': fail } },
      events: { onProblem: (problem) => problems.push(problem.cause) },
    });
    await client.notify('acme/x');
    await client.ping();
    server.notify('acme/y');
    await client.ping();
    expect(problems).toEqual([new Error('broken'), new Error('broken')]);
    await client.close();
  });
});

describe('a name of the specification', () => {
  test.each<[string, Partial<ServerOptions>]>([
    ['tools/call', { extensions: { methods: { 'tools/call': search } } }],
    ['roots/list', { extensions: { methods: { 'roots/list': search } } }],
    ['notifications/acme', { extensions: { methods: { 'notifications/acme': search } } }],
    ['rpc.acme', { extensions: { methods: { 'rpc.acme': search } } }],
    [
      'notifications/progress',
      { extensions: { notifications: { 'notifications/progress': () => undefined } } },
    ],
  ])('%s cannot be defined by a server', (name, options) => {
    expect(() => createServer({ info, ...options })).toThrow(JSON.stringify(name));
  });

  test.each<[string, Partial<ClientOptions>]>([
    [
      'elicitation/create',
      { extensions: { methods: { 'elicitation/create': { handler: () => ({}) } } } },
    ],
    [
      'notifications/message',
      { extensions: { notifications: { 'notifications/message': () => undefined } } },
    ],
  ])('%s cannot be defined by a client', async (name, options) => {
    await expect(
      connectInMemory(createServer({ info }), { info, ...options }),
    ).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(JSON.stringify(name)) as string,
    });
  });

  test('can be requested where its revision has it, except for the requests of the client itself', async () => {
    const server = createServer({ info, tools: [] });
    const client = await connectInMemory(server, { info, era: 'modern' });
    expect(await client.request('tools/list')).toMatchObject({ tools: [] });
    await expect(client.request('ping')).rejects.toMatchObject({ code: 'method-not-in-era' });
    await expect(client.request('constructor')).rejects.toMatchObject({ code: -32601 });
    await expect(client.request('subscriptions/listen')).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    await expect(client.notify('notifications/progress')).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    expect(() => server.notify('notifications/message')).toThrow('cannot be defined');
    await client.close();
  });
});

describe('declared extensions and experimental capabilities', () => {
  const declared = {
    extensions: { 'dev.acme/ui': { mimeTypes: ['text/html'] } },
    experimental: { acme: { level: 2 } },
  };

  test.each(ERAS)('%s: are read by the other side', async (era) => {
    const seen: unknown[] = [];
    const server = createServer({
      info,
      extensions: {
        capabilities: declared,
        methods: {
          'acme/look': {
            handler: (_params, { client: { extensions, experimental } }) => {
              seen.push(extensions['dev.acme/ui'], experimental);
              return {};
            },
          },
        },
      },
    });
    const client = await connectInMemory(server, { info, era, capabilities: declared });
    expect(client.server.capabilities).toMatchObject(declared);
    await client.request('acme/look');
    expect(seen).toEqual([declared.extensions['dev.acme/ui'], declared.experimental]);
    await client.close();
  });

  test('do not break a server when a client sends nonsense instead of settings', async () => {
    const seen: unknown[] = [];
    const client = await connectRaw(
      createServer({
        info,
        extensions: {
          methods: {
            'acme/look': {
              handler: (_params, context) => {
                seen.push(context.client.extensions, context.client.experimental);
                return {};
              },
            },
          },
        },
      }),
    );
    await initialize(client, '2025-11-25', {
      extensions: { a: 1, b: null, c: {} },
      experimental: [],
    });
    await client.request(1, 'acme/look');
    expect(seen).toEqual([{ c: {} }, {}]);
  });

  test('cannot declare tasks, which the tools declare', () => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    expect(() => createServer({ info, extensions: { capabilities } })).toThrow(
      'io.modelcontextprotocol/tasks',
    );
  });
});

test.each(ERAS)(
  '%s: the handler * gets all custom notifications without their own',
  async (era) => {
    const onServer: [string, JsonObject][] = [];
    const onClient: unknown[] = [];
    const own = vi.fn<() => void>();
    const server = createServer({
      info,
      extensions: {
        notifications: {
          '*': (params, _session, method) => onServer.push([method, params]),
          'acme/own': own,
        },
        methods: {
          'acme/talk': defineMethod({
            handler: async (_params, { notify }) => {
              await notify('acme/a', { a: 1 });
              await notify('acme/own');
              return {};
            },
          }),
        },
      },
    });
    const client = await connectInMemory(server, {
      info,
      era,
      extensions: {
        notifications: {
          '*': (params, { method }) => onClient.push([method, params]),
          'acme/own': own,
        },
      },
    });
    const watch = await client.watch({ onToolsChanged: () => undefined });
    await client.notify('acme/b', { b: 1 });
    await client.notify('acme/own');
    await client.request('acme/talk');
    await watch.close();
    expect(onServer.map(([method]) => method)).toEqual(['acme/b']);
    expect(onClient).toMatchObject([['acme/a', { a: 1 }]]);
    expect(own).toHaveBeenCalledTimes(2);
    await client.close();
  },
);
