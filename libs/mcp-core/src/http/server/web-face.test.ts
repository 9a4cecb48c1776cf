import { expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { createServer } from '../../server/create-server.ts';
import type { ToolDefinition } from '../../server/tools/tool.ts';
import { createHttpHandler } from './create-http-handler.ts';
import type { HttpHandler, HttpHandlerOptions } from './http-handler.ts';
import { ACCEPT_BOTH, echo, heldTool, readEvents, toolOf } from './http-peer.test.support.ts';

const WAIT = { timeout: 5000 };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function handlerOf(
  tools: readonly ToolDefinition[],
  options: HttpHandlerOptions = {},
): HttpHandler {
  const handler = createHttpHandler(
    createServer({ info: { name: 'test', version: '1' }, tools }),
    options,
  );
  onTestFinished(() => handler.close());
  return handler;
}

function post(
  body: unknown,
  headers: { readonly [name: string]: string } = {},
  signal?: AbortSignal,
): Request {
  return new Request('http://localhost:3000/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: ACCEPT_BOTH, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

function call(name: string, args: JsonObject = {}, signal?: AbortSignal): Request {
  const params = { name, arguments: args, _meta: { ...META, progressToken: 'p' } };
  return post(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
    signal,
  );
}

test('a request gets a JSON response', async () => {
  const response = await handlerOf([echo]).fetch(call('echo', { text: 'ä' }));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  await expect(response.json()).resolves.toMatchObject({
    id: 1,
    result: { content: [{ text: 'ä' }] },
  });
});

test('a request with notifications gets a stream', async () => {
  const work = toolOf('work', (_args, context) => {
    context.progress({ progress: 1 });
    return { content: [] };
  });
  const response = await handlerOf([work]).fetch(call('work'));
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const { events } = readEvents(await response.text());
  expect(events.map(({ data }) => JSON.parse(data) as JsonObject)).toMatchObject([
    { method: 'notifications/progress' },
    { id: 1, result: {} },
  ]);
});

test('a session is opened, used, streamed and ended', async () => {
  const handler = handlerOf([echo]);
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    },
  };
  const opened = await handler.fetch(post(initialize));
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const accepted = await handler.fetch(
    post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers),
  );
  expect([accepted.status, await accepted.text()]).toEqual([202, '']);
  const stream = await handler.fetch(
    new Request('http://localhost/mcp', { headers: { ...headers, accept: 'text/event-stream' } }),
  );
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toContain('retry: 1000');
  await expect(
    (await handler.fetch(post({ jsonrpc: '2.0', id: 2, method: 'ping' }, headers))).json(),
  ).resolves.toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  expect(
    (await handler.fetch(new Request('http://localhost/mcp', { method: 'DELETE', headers })))
      .status,
  ).toBe(200);
  await vi.waitFor(async () => {
    expect((await reader.read()).done).toBe(true);
  }, WAIT);
  expect(
    (await handler.fetch(post({ jsonrpc: '2.0', id: 2, method: 'ping' }, headers))).status,
  ).toBe(404);
});

test('a reader that cancels the stream, or an aborted request, cancels the handler', async () => {
  const signals: AbortSignal[] = [];
  const stream = toolOf('stream', async (_args, context) => {
    signals.push(context.signal);
    context.progress({ progress: 1 });
    await new Promise((_resolve, reject) => {
      context.signal.addEventListener('abort', () => {
        reject(new Error('stopped'));
      });
    });
    return { content: [] };
  });
  const held = heldTool();
  const handler = handlerOf([stream, held.tool]);
  const response = await handler.fetch(call('stream'));
  await response.body?.cancel();
  await vi.waitFor(() => {
    expect(signals[0]?.aborted).toBe(true);
  }, WAIT);

  const aborting = new AbortController();
  const answer = handler.fetch(call('hold', {}, aborting.signal));
  const { signal } = await held.started;
  aborting.abort();
  expect((await answer).status).toBe(499);
  expect(signal.aborted).toBe(true);
});

test('bodies that are too long, broken or missing are refused', async () => {
  const handler = handlerOf([], { limits: { maxBodyBytes: 100 } });
  expect((await handler.fetch(post('x'.repeat(101)))).status).toBe(413);
  expect((await handler.fetch(post('{'))).status).toBe(400);
  const without = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  expect((await handler.fetch(without)).status).toBe(400);
  const broken = new ReadableStream({
    pull: (controller) => {
      controller.error(new Error('broken'));
    },
  });
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: broken,
    duplex: 'half',
  });
  expect((await handler.fetch(request)).status).toBe(499);
});

test('the host defaults to the host of the URL', async () => {
  const handler = handlerOf([]);
  expect(
    (await handler.fetch(new Request('http://evil.example/mcp', { method: 'PUT' }))).status,
  ).toBe(403);
  expect(
    (
      await handler.fetch(
        new Request('http://localhost/mcp', {
          method: 'PUT',
          headers: { origin: 'http://evil.example' },
        }),
      )
    ).status,
  ).toBe(403);
  expect(
    (await handler.fetch(new Request('http://localhost/anything', { method: 'PUT' }))).status,
  ).toBe(405);
});

test('the caller can pass the authenticated sender', async () => {
  const who = toolOf('who', (_args, { auth }) => ({
    content: [{ type: 'text', text: auth?.principal ?? 'nobody' }],
  }));
  const handler = handlerOf([who], { access: { bearerToken: 'secret' } });
  const response = await handler.fetch(call('who'), { auth: { principal: 'ada' } });
  await expect(response.json()).resolves.toMatchObject({ result: { content: [{ text: 'ada' }] } });
  expect((await handler.fetch(call('who'))).status).toBe(401);
});

test('a slow reader applies backpressure, and receives everything', async () => {
  const steps: number[] = [];
  const handler = createHttpHandler({
    ...createServer({ info: { name: 'test', version: '1' } }),
    requiredScopes: () => [],
    tool: () => undefined,
    handle: async (_request, link) => {
      for (let step = 0; step < 200; step += 1) {
        await link.notify('notifications/message', {
          level: 'info',
          data: `${String(step)} ${'x'.repeat(1000)}`,
        });
        steps.push(step);
      }
      return { result: {} };
    },
  });
  const response = await handler.fetch(call('any'));
  await vi.waitFor(() => {
    expect(steps.length).toBeGreaterThan(0);
  }, WAIT);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(steps.length).toBeLessThan(50);
  expect(readEvents(await response.text()).events).toHaveLength(201);
});
