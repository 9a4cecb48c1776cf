import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Client } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { connectClient } from '../client/connect-client.ts';
import type { Era } from '../era/versions.ts';
import type { Progress } from '../protocol/progress.ts';
import { createServer } from '../server/create-server.ts';
import type { Server } from '../server/server.ts';
import { defineTool } from '../server/tools/tool.ts';
import { httpTransport, type HttpTransportOptions } from './client/http-transport.ts';
import { serveHttp, type HttpListener, type ServeHttpOptions } from './server/serve-http.ts';

const info = { name: 'both', version: '1.0.0' };
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const noArguments = { type: 'object', properties: {}, additionalProperties: false } as const;
const WAIT = { timeout: 10_000 };

async function listen(server: Server, options: ServeHttpOptions = {}): Promise<HttpListener> {
  const listener = await serveHttp(server, { limits: { drainMs: 0 }, ...options });
  onTestFinished(() => listener.close());
  return listener;
}

async function connect(
  url: string,
  era: Era,
  options: Partial<ClientOptions> & { readonly http?: Partial<HttpTransportOptions> } = {},
): Promise<Client> {
  const { http, ...clientOptions } = options;
  const client = await connectClient(() => httpTransport({ url, ...http }), {
    info: { name: 't', version: '0' },
    era,
    ...clientOptions,
  });
  onTestFinished(() => client.close());
  return client;
}

const count = defineTool({
  name: 'count',
  description: 'Counts to the number.',
  inputSchema: { type: 'object', properties: { to: { type: 'integer' } }, required: ['to'] },
  annotations,
  handler: ({ to }, context) => {
    for (let progress = 1; progress <= to; progress += 1) context.progress({ progress, total: to });
    return { structuredContent: { counted: to } };
  },
});

const ask = defineTool({
  name: 'ask',
  description: 'Asks for a name.',
  inputSchema: noArguments,
  annotations,
  handler: async (_, context) => {
    const answer = await context.elicit('name', {
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    return {
      structuredContent: { answer: answer.action === 'accept' ? answer.content : answer.action },
    };
  },
});

describe.each<{ readonly name: string; readonly era: Era; readonly isSse?: boolean }>([
  { name: 'modern', era: 'modern' },
  { name: 'legacy', era: 'legacy' },
  { name: 'HTTP+SSE', era: 'legacy', isSse: true },
])('our client on our server over HTTP, $name', ({ era, isSse = false }) => {
  const open = async (server: Server, options: Partial<ClientOptions> = {}): Promise<Client> => {
    const { url } = await listen(server, { legacySse: true });
    return isSse
      ? connect(url.replace('/mcp', '/sse'), era, { ...options, http: { legacySse: true } })
      : connect(url, era, options);
  };

  test('lists and calls tools, with progress before the result', async () => {
    const client = await open(
      createServer({ info, tools: [count], settings: { limits: { progressIntervalMs: 0 } } }),
    );
    expect(client.server).toMatchObject({ info, era });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['count']);
    const seen: (Progress | string)[] = [];
    const result = await client.callTool(
      'count',
      { to: 100 },
      { onProgress: (progress) => seen.push(progress) },
    );
    seen.push('answer');
    expect(result.structuredContent).toEqual({ counted: 100 });
    expect(seen.at(-2)).toMatchObject({ progress: 100 });
    await expect(client.callTool('none', {})).rejects.toMatchObject({ code: -32602 });
  });

  test('responds to input requests of a running call', async () => {
    const client = await open(createServer({ info, tools: [ask] }), {
      handlers: { elicit: () => Promise.resolve({ action: 'accept', content: { name: 'Ada' } }) },
    });
    expect((await client.callTool('ask', {})).structuredContent).toEqual({
      answer: { name: 'Ada' },
    });
  });

  test('cancels a call, whose handler is aborted', async () => {
    let heard = 0;
    let started = 0;
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      inputSchema: noArguments,
      annotations,
      handler: (_, { signal }) => {
        started += 1;
        return new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            heard += 1;
            reject(new Error('cancelled'));
          });
        });
      },
    });
    const client = await open(createServer({ info, tools: [wait] }));
    const cancel = new AbortController();
    const call = client.callTool('wait', {}, { signal: cancel.signal });
    await vi.waitFor(() => expect(started).toBe(1), WAIT);
    cancel.abort();
    await expect(call).rejects.toMatchObject({ code: 'request-cancelled' });
    await vi.waitFor(() => expect(heard).toBe(1), WAIT);
  });

  test('receives tool list changes', async () => {
    const server = createServer({ info, tools: [count] });
    const client = await open(server);
    const changed = vi.fn<() => void>();
    await client.watch({ onToolsChanged: changed });
    await vi.waitFor(() => {
      server.setTools([count, ask]);
      expect(changed).toHaveBeenCalled();
    }, WAIT);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['ask', 'count']);
  });
});

test('a call whose stream the handler closed gets its result by resuming', async () => {
  const later = defineTool({
    name: 'later',
    description: 'Lets the client poll.',
    inputSchema: noArguments,
    annotations,
    handler: async (_, context) => {
      context.progress({ progress: 1 });
      context.closeStream();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { structuredContent: { done: true } };
    },
  });
  const { url } = await listen(createServer({ info, tools: [later] }), {
    sessions: { retryMs: 10 },
  });
  const client = await connect(url, 'legacy');
  expect((await client.callTool('later', {})).structuredContent).toEqual({ done: true });
});

test.each<Era>(['legacy', 'modern'])(
  'the right token lets in, the wrong one does not, %s',
  async (era) => {
    const { url } = await listen(createServer({ info, tools: [count] }), {
      access: { bearerToken: 'right-token' },
    });
    const client = await connect(url, era, {
      http: { headers: () => ({ Authorization: 'Bearer right-token' }) },
    });
    expect(await client.listTools()).toHaveLength(1);
    const refused = connect(url, era, {
      http: { headers: { Authorization: 'Bearer wrong-token' } },
    });
    await expect(refused).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('401') as string,
    });
    await expect(refused).rejects.not.toThrow('wrong-token');
  },
);

test.each<Era>(['legacy', 'modern'])('nothing is left open after closing, %s', async (era) => {
  const server = createServer({ info, tools: [count] });
  const listener = await listen(server);
  const client = await connect(listener.url, era);
  await Promise.all(Array.from({ length: 20 }, (_, to) => client.callTool('count', { to })));
  await client.close();
  await expect(client.callTool('count', { to: 1 })).rejects.toMatchObject({
    code: 'connection-closed',
  });
  await listener.close();
});
