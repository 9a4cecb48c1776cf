import { expect, onTestFinished, test, vi } from 'vitest';
import { once } from 'node:events';
import { createServer as createNodeServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { createServer } from '../../server/create-server.ts';
import { ByteBudget } from './byte-budget.ts';
import { createHttpHandler } from './create-http-handler.ts';
import type { HttpHandler, HttpLimits } from './http-handler.ts';
import { serveHttp } from './serve-http.ts';
import { heldTool, toolOf } from './http-peer.test.support.ts';

const WAIT = { timeout: 5000 };
const FIELDS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
};
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function callOf(name: string): Request {
  const params = { name, arguments: {}, _meta: { ...META, progressToken: 'p' } };
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { ...FIELDS, 'mcp-name': name },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
}

/** A request whose body has begun and does not end. */
function slowPost(bytes: number): Request {
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: FIELDS,
    body: new ReadableStream({
      start: (controller) => {
        controller.enqueue(new Uint8Array(bytes));
      },
    }),
    duplex: 'half',
  });
}

function handlerOf(limits: HttpLimits, held = heldTool()): HttpHandler {
  const stream = toolOf('stream', async (_args, context) => {
    for (let step = 1; step < 9; step += 1)
      void context.progress({ progress: step, message: 'x'.repeat(30_000) });
    await new Promise((resolve) => {
      context.signal.addEventListener('abort', resolve);
    });
    return { content: [] };
  });
  const handler = createHttpHandler(
    createServer({
      info: { name: 'test', version: '1' },
      tools: [held.tool, stream],
      settings: { limits: { progressIntervalMs: 0 } },
    }),
    { limits: { drainMs: 0, ...limits } },
  );
  onTestFinished(() => handler.close());
  return handler;
}

test('the holder that has held its bytes longest is evicted first', () => {
  const budget = new ByteBudget(10);
  const evicted: string[] = [];
  const holder = (name: string) => ({ evict: () => void evicted.push(name) });
  const [first, second, third] = [holder('first'), holder('second'), holder('third')];
  budget.hold(first, 4);
  budget.hold(second, 4);
  budget.release(second);
  budget.hold(second, 4);
  budget.hold(first, 5);
  expect([evicted, budget.bytes]).toEqual([[], 9]);
  budget.hold(third, 5);
  expect([evicted, budget.bytes]).toEqual([['first'], 9]);
  budget.keep(10);
  budget.hold(third, 6);
  expect([evicted, budget.bytes]).toEqual([['first', 'second', 'third'], 10]);
});

test('the request that has been arriving longest gets 503 when requests take too much memory', async () => {
  const handler = handlerOf({ maxRequestBytes: 25_000 });
  const slow = [handler.fetch(slowPost(10_000)), handler.fetch(slowPost(10_000))];
  await vi.waitFor(() => {
    expect(handler.stats().requestBytes).toBe(20_000);
  }, WAIT);
  void handler.fetch(slowPost(10_000));
  const refused = await slow[0];
  expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([503, '1']);
  expect(handler.stats().requestBytes).toBe(20_000);
});

test('running requests count until they have ended', async () => {
  const held = heldTool();
  const handler = handlerOf({ maxRequestBytes: 8192 }, held);
  const running = handler.fetch(callOf('hold'));
  await held.started;
  expect(handler.stats().requestBytes).toBeGreaterThan(8192);
  expect((await handler.fetch(callOf('hold'))).status).toBe(503);
  held.release();
  expect((await running).status).toBe(200);
  expect(handler.stats().requestBytes).toBe(0);
});

test('the stream that waits longest for its reader ends when too much is unread', async () => {
  const handler = handlerOf({ maxUnsentBytes: 600_000 });
  const streams = [await handler.fetch(callOf('stream'))];
  expect(handler.stats().unsentBytes).toBeGreaterThan(200_000);
  for (let count = 0; count < 3; count += 1) streams.push(await handler.fetch(callOf('stream')));
  expect(handler.stats().unsentBytes).toBeLessThan(600_000);
  await expect(streams[0]?.text()).rejects.toThrow('does not read');
});

test('a listener closes connections beyond its limit', async () => {
  const listener = await serveHttp(createServer({ info: { name: 'test', version: '1' } }), {
    limits: { maxConnections: 1 },
  });
  onTestFinished(() => listener.close());
  const first = connect(listener.port, '127.0.0.1');
  onTestFinished(() => void first.destroy());
  await once(first, 'connect');
  const second = connect(listener.port, '127.0.0.1');
  await new Promise((resolve) => {
    second.on('error', () => undefined).on('close', resolve);
  });
  expect(first.destroyed).toBe(false);
});

test('the connection whose response waits longest for its reader ends when too much is unread', async () => {
  const big = toolOf('big', () => ({ content: [{ type: 'text', text: 'x'.repeat(8_000_000) }] }));
  const server = createServer({ info: { name: 'test', version: '1' }, tools: [big] });
  const handler = createHttpHandler(server, { limits: { maxUnsentBytes: 9_000_000 } });
  const ended = Promise.withResolvers<string>();
  const listener = createNodeServer((request, response) => {
    response.on('close', () => {
      ended.resolve(response.writableFinished ? 'finished' : 'ended');
    });
    handler.handle(request, response);
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    await handler.close();
    listener.closeAllConnections();
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  const call = callOf('big');
  const body = await call.text();
  const fields = [...call.headers, ['host', 'localhost'], ['content-length', String(body.length)]];
  const head = fields.map(([name, value]) => `${String(name)}: ${String(value)}\r\n`).join('');
  for (let count = 0; count < 6; count += 1) {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n${body}`);
  }
  await expect(ended.promise).resolves.toBe('ended');
  expect(handler.stats().unsentBytes).toBeLessThanOrEqual(9_000_000);
});
