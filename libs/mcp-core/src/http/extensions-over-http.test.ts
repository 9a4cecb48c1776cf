import { describe, expect, onTestFinished, test } from 'vitest';
import { connectClient } from '../client/connect-client.ts';
import type { Client } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';
import { createServer } from '../server/create-server.ts';
import { defineMethod } from '../server/extensions/custom-methods.ts';
import { defineTool } from '../server/tools/tool.ts';
import type { ServerOptions } from '../server/server.ts';
import { httpTransport } from './client/http-transport.ts';
import { serveHttp, type ServeHttpOptions } from './server/serve-http.ts';

const info = { name: 'test', version: '1' };
const steps = defineMethod({
  params: { type: 'object', properties: { name: { type: 'string' } } },
  handler: async ({ name = '' }, { notify, client }) => {
    await notify('acme/step', { step: 1 });
    return { name, extensions: Object.keys(client.extensions) };
  },
});

async function connect(
  serverOptions: Partial<ServerOptions>,
  clientOptions: Partial<ClientOptions>,
  httpOptions: ServeHttpOptions = {},
): Promise<Client> {
  const server = createServer({
    info,
    ...serverOptions,
    extensions: { methods: { 'acme/steps': steps }, ...serverOptions.extensions },
  });
  const listener = await serveHttp(server, httpOptions);
  onTestFinished(() => listener.close());
  const client = await connectClient(() => httpTransport({ url: listener.url }), {
    info,
    capabilities: { extensions: { 'dev.acme/x': {} } },
    ...clientOptions,
  });
  onTestFinished(() => client.close());
  return client;
}

describe('extension points over HTTP', () => {
  test.each([
    ['a modern server', 'modern', {}, ['dev.acme/x']],
    ['a session', 'legacy', {}, ['dev.acme/x']],
    ['requests without sessions', 'legacy', { sessions: false }, []],
  ] as const)(
    '%s: custom methods, notifications and middleware',
    async (_name, era, http, seen) => {
      const methods: string[] = [];
      const received: unknown[] = [];
      const client = await connect(
        {
          extensions: {
            middleware: [
              async ({ method }, next) => {
                await new Promise(setImmediate);
                methods.push(method);
                return next();
              },
            ],
          },
        },
        { era, extensions: { notifications: { 'acme/step': (params) => received.push(params) } } },
        http,
      );
      expect(await client.request('acme/steps', { name: 'x' })).toMatchObject({
        name: 'x',
        extensions: expect.arrayContaining([...seen]) as string[],
      });
      expect(methods).toEqual([era === 'modern' ? 'server/discover' : 'initialize', 'acme/steps']);
      expect(received).toEqual([{ step: 1 }]);
      await expect(client.request('acme/none')).rejects.toMatchObject({ code: -32601 });
    },
  );

  test('a middleware that refuses initialize opens no session', async () => {
    const connecting = connect(
      {
        extensions: {
          middleware: [
            ({ method }, next) => {
              if (method === 'initialize')
                throw new ProtocolError(ErrorCode.invalidRequest, 'Closed');
              return next();
            },
          ],
        },
      },
      { era: 'legacy' },
    );
    await expect(connecting).rejects.toThrow('Closed');
  });

  test.each(['legacy', 'modern'] as const)(
    'a middleware of a %s client calls another tool, with its headers and its output schema',
    async (era) => {
      const inputSchema = {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      } as const;
      const city = defineTool({
        name: 'city',
        description: 'Returns text.',
        inputSchema,
        handler: ({ region = '' }) => region,
      });
      const weather = defineTool({
        name: 'weather',
        description: 'Returns structured content.',
        inputSchema,
        outputSchema: { type: 'object' },
        handler: () => ({ structuredContent: {} }),
      });
      const called: unknown[] = [];
      const client = await connect(
        {
          tools: [city, weather],
          extensions: {
            middleware: [
              ({ method, params }, next) => {
                if (method.startsWith('tools/')) called.push(params.name ?? method);
                return next();
              },
            ],
          },
        },
        {
          era,
          extensions: {
            middleware: [
              ({ params }, next) =>
                params.name === 'weather'
                  ? next({ ...params, name: 'city', arguments: { region: 'eu' } })
                  : next(),
            ],
          },
        },
      );
      await client.listTools();
      const { content } = await client.callTool('weather', { region: 'us' });
      expect(content).toEqual([{ type: 'text', text: 'eu' }]);
      expect(called).toEqual(['tools/list', 'city']);
    },
  );

  test('custom notifications of a client reach a session, and no modern server', async () => {
    const received = Promise.withResolvers<unknown>();
    const notifications = { 'acme/seen': (params: unknown) => received.resolve(params) };
    const legacy = await connect({ extensions: { notifications } }, { era: 'legacy' });
    await legacy.notify('acme/seen', { id: 1 });
    expect(await received.promise).toEqual({ id: 1 });
    const modern = await connect({ extensions: { notifications } }, { era: 'modern' });
    await expect(modern.notify('acme/seen')).rejects.toMatchObject({ code: 'method-not-in-era' });
  });

  test('a custom request of a server reaches the client of a session', async () => {
    const client = await connect(
      {
        extensions: {
          methods: {
            'acme/ask': {
              handler: async (_params, { request }) => ({ answer: await request('acme/name') }),
            },
          },
        },
      },
      {
        era: 'legacy',
        extensions: { methods: { 'acme/name': { handler: () => ({ name: 'Ada' }) } } },
      },
    );
    expect(await client.request('acme/ask')).toEqual({ answer: { name: 'Ada' } });
  });
});

test.each(['modern', 'legacy'] as const)(
  '%s: logs and custom notifications name the request on whose stream they arrive',
  async (era) => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: 'talk',
      description: 'Logs and notifies.',
      inputSchema: { type: 'object', properties: {} },
      handler: async (_args, { log, notify }) => {
        log('info', 'talking');
        await notify('acme/step', { step: 1 });
        return 'done';
      },
    });
    const client = await connect(
      { tools: [tool] },
      {
        era,
        events: { onLog: ({ data, request }) => seen.push([data, request]) },
        extensions: {
          notifications: { 'acme/step': ({ step }, { request }) => seen.push([step, request]) },
        },
      },
    );
    const metas = [{ 'acme/call': 1 }, { 'acme/call': 2 }];
    for (const meta of metas) await client.callTool('talk', {}, { meta });
    expect(seen).toEqual(
      metas.flatMap((meta) => {
        const request = { method: 'tools/call', name: 'talk', meta };
        return [
          ['talking', request],
          [1, request],
        ];
      }),
    );
  },
);
