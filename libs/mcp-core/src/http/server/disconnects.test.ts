import { createServer as createNodeServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../jsonrpc/messages.ts';
import { createServer } from '../../server/create-server.ts';
import type { Server, ServerConnection, ServerOptions } from '../../server/server.ts';
import { createHttpHandler } from './create-http-handler.ts';
import type { HttpHandler, HttpHandlerOptions } from './http-handler.ts';
import { EventStream } from './event-stream.ts';
import { ACCEPT_BOTH, toolOf } from './http-peer.test.support.ts';
import { LegacySseEndpoint } from './legacy-sse-endpoint.ts';
import { OpenExchanges } from './open-exchanges.ts';
import { ScopeCheck } from './scope-check.ts';
import { Sessions } from './sessions.ts';
import { WebExchange } from './web-exchange.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  },
};

/** A listener that holds each request with the header `x-hold` until the client has left. */
interface Gate {
  readonly server: Server;
  readonly handler: HttpHandler;
  readonly send: (
    raw: RawRequest,
  ) => Promise<{ readonly status: number; readonly sessionId: string }>;
  /** Sends a request and resolves with its response, which is never read. */
  readonly pause: (raw: RawRequest) => Promise<unknown>;
  /**
   * Sends a request, disconnects while `authenticate` runs, and resolves when the server has
   * finished with it.
   */
  readonly leave: (raw: RawRequest) => Promise<void>;
}

interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: JsonObject;
}

async function openGate(options: Partial<ServerOptions>, http: HttpHandlerOptions): Promise<Gate> {
  const held = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const server = createServer({ info: { name: 'test', version: '1' }, ...options });
  const handler = createHttpHandler(server, {
    ...http,
    access: {
      authenticate: async (headers) => {
        if (headers['x-hold'] !== undefined) {
          held.resolve();
          await left.promise;
        }
        return {};
      },
    },
  });
  const listener = createNodeServer((request, response) => {
    if (request.headers['x-hold'] !== undefined)
      response.on('close', () => {
        left.resolve();
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
  const begin = ({ method = 'POST', path = '/mcp', headers = {}, body }: RawRequest) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const fields = { accept: ACCEPT_BOTH, ...type, ...headers };
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: fields,
      agent: false,
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    return request;
  };
  return {
    server,
    handler,
    send: (raw) =>
      new Promise((resolve, reject) => {
        const request = begin(raw);
        request.on('error', reject);
        request.on('response', (response) => {
          response.resume();
          const sessionId = response.headers['mcp-session-id'];
          resolve({
            status: response.statusCode ?? 0,
            sessionId: typeof sessionId === 'string' ? sessionId : '',
          });
        });
      }),
    pause: (raw) =>
      new Promise((resolve) => {
        begin(raw)
          .on('error', () => undefined)
          .on('response', (response) => {
            response.pause();
            resolve(response);
          });
      }),
    leave: async (raw) => {
      const request = begin({ ...raw, headers: { ...raw.headers, 'x-hold': '1' } });
      request.on('error', () => undefined);
      await held.promise;
      request.destroy();
      await left.promise;
      // The steps after `authenticate` run in microtasks and one turn of the event loop.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    },
  };
}

/** A web exchange whose client disconnects on demand. */
function webExchange(): { readonly exchange: WebExchange; readonly leave: () => void } {
  const controller = new AbortController();
  const exchange = new WebExchange(
    new Request('http://localhost/sse', {
      headers: { accept: 'text/event-stream' },
      signal: controller.signal,
    }),
  );
  return {
    exchange,
    leave: () => {
      controller.abort();
    },
  };
}

describe('a client that leaves while authenticate runs', () => {
  test('does not keep its session alive by the requested stream', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const gate = await openGate({}, { sessions: { sessionIdleMs: 1000 } });
    const { sessionId } = await gate.send({ body: INITIALIZE });
    const headers = { 'mcp-session-id': sessionId };
    await gate.leave({ method: 'GET', headers });
    vi.advanceTimersByTime(5000);
    expect(
      (await gate.send({ headers, body: { jsonrpc: '2.0', id: 2, method: 'ping' } })).status,
    ).toBe(404);
  });

  test('gets no connection of HTTP+SSE', async () => {
    const gate = await openGate({}, { legacySse: true });
    const connect = vi.spyOn(gate.server, 'connect');
    await gate.leave({ method: 'GET', path: '/sse' });
    expect(connect).not.toHaveBeenCalled();
  });

  test('gets no session', async () => {
    const gate = await openGate({}, {});
    const connect = vi.spyOn(gate.server, 'connect');
    await gate.leave({ body: INITIALIZE });
    expect(connect).not.toHaveBeenCalled();
  });

  test('starts no handler', async () => {
    const run = vi.fn<() => { content: [] }>(() => ({ content: [] }));
    const gate = await openGate({ tools: [toolOf('run', run)] }, {});
    await gate.leave({
      headers: {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'run',
      },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'run', arguments: {}, _meta: META },
      },
    });
    expect(run).not.toHaveBeenCalled();
  });
});

describe('a client that leaves while the server connects', () => {
  function slowServer(leave: () => void): {
    readonly server: Server;
    readonly opened: () => Promise<ServerConnection>;
  } {
    const server = createServer({ info: { name: 'test', version: '1' } });
    const connect = server.connect.bind(server);
    const opened = Promise.withResolvers<ServerConnection>();
    vi.spyOn(server, 'connect').mockImplementation(async (transport) => {
      const connection = await connect(transport);
      leave();
      opened.resolve(connection);
      return connection;
    });
    return { server, opened: () => opened.promise };
  }

  test('leaves no session behind', async () => {
    const { exchange, leave } = webExchange();
    const { server, opened } = slowServer(leave);
    const sessions = new Sessions(server, {
      maxSessions: 1,
      sessionIdleMs: 60_000,
      retryMs: 1000,
      eventStore: undefined,
      exchanges: new OpenExchanges(),
      onError: () => undefined,
    });
    await sessions.open(exchange, { ...INITIALIZE, jsonrpc: '2.0' }, undefined);
    await expect((await opened()).closed).resolves.toBeUndefined();
  });

  test('leaves no connection of HTTP+SSE behind', async () => {
    const { exchange, leave } = webExchange();
    const { server, opened } = slowServer(leave);
    const endpoint = new LegacySseEndpoint({
      server,
      scopes: new ScopeCheck(server),
      messagesPath: '/messages',
      maxBodyBytes: 1000,
      maxConnections: 1,
      onError: () => undefined,
    });
    endpoint.serveStream(exchange, undefined);
    await expect((await opened()).closed).resolves.toBeUndefined();
  });
});

describe('a client that left before the listener was set', () => {
  test('is reported immediately, and once', () => {
    const { exchange, leave } = webExchange();
    leave();
    const listener = vi.fn<() => void>();
    exchange.onGone(listener);
    expect(listener).toHaveBeenCalledOnce();
  });

  test('is reported by an exchange that was aborted before its creation', () => {
    const exchange = new WebExchange(
      new Request('http://localhost/', { signal: AbortSignal.abort() }),
    );
    const listener = vi.fn<() => void>();
    exchange.onGone(listener);
    expect([exchange.isGone(), listener.mock.calls.length]).toEqual([true, 1]);
  });

  test('replaces no stream', () => {
    const scope = {
      sessionId: 's',
      store: undefined,
      retryMs: 1,
      onError: () => undefined,
      storing: () => undefined,
      isPrimed: false,
    };
    const stream = new EventStream(0, scope);
    const { exchange, leave } = webExchange();
    leave();
    stream.connect(exchange);
    expect(stream.isConnected).toBe(false);
  });

  test('starts no handler on the web face', async () => {
    const run = vi.fn<() => { content: [] }>(() => ({ content: [] }));
    const server = createServer({
      info: { name: 'test', version: '1' },
      tools: [toolOf('run', run)],
    });
    const handler = createHttpHandler(server);
    onTestFinished(() => handler.close());
    const leaving = new AbortController();
    const response = handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: ACCEPT_BOTH,
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'run',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'run', arguments: {}, _meta: META },
        }),
        signal: leaving.signal,
      }),
    );
    leaving.abort();
    expect((await response).status).toBe(499);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(run).not.toHaveBeenCalled();
  });
});

const POST_FIELDS = { 'content-type': 'application/json', accept: ACCEPT_BOTH };

function post(body: unknown, headers: { readonly [name: string]: string } = {}): Request {
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: { ...POST_FIELDS, ...headers },
    body: JSON.stringify(body),
  });
}

/** A handler of web requests, and a tool that runs until its signal aborts. */
function serveWeb(http: HttpHandlerOptions = {}): {
  readonly server: Server;
  readonly handler: HttpHandler;
  readonly connections: readonly ServerConnection[];
  readonly started: Promise<AbortSignal>;
  readonly initialize: () => Promise<{ readonly [name: string]: string }>;
} {
  const started = Promise.withResolvers<AbortSignal>();
  const server = createServer({
    info: { name: 'test', version: '1' },
    tools: [
      toolOf('hold', async (_args, { signal }) => {
        started.resolve(signal);
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            resolve();
          });
        });
        return { content: [] };
      }),
    ],
  });
  const connections: ServerConnection[] = [];
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    const connection = await connect(transport);
    connections.push(connection);
    return connection;
  };
  const handler = createHttpHandler(server, { limits: { drainMs: 0 }, ...http });
  onTestFinished(() => handler.close());
  return {
    server,
    handler,
    connections,
    started: started.promise,
    initialize: async () => {
      const response = await handler.fetch(post(INITIALIZE));
      return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
    },
  };
}

const HOLD = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'hold', arguments: {} },
};

describe('a session whose client has left for good', () => {
  test('ends after its idle time although a request runs, and aborts its handler', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { handler, started, initialize } = serveWeb({ sessions: { sessionIdleMs: 1000 } });
    const session = await initialize();
    const leaving = new AbortController();
    void handler.fetch(new Request(post(HOLD, session), { signal: leaving.signal }));
    const signal = await started;
    vi.advanceTimersByTime(10_000);
    expect([signal.aborted, handler.stats().sessions]).toEqual([false, 1]);
    leaving.abort();
    vi.advanceTimersByTime(10_000);
    await vi.waitFor(() => {
      expect(signal.aborted).toBe(true);
    });
    expect(Object.values(handler.stats()).every((count) => count === 0)).toBe(true);
  });

  test('leaves no event behind that the store takes after its end', async () => {
    const stored = new Set<string>();
    const slow = Promise.withResolvers<void>();
    const { handler, server, connections, initialize } = serveWeb({
      sessions: {
        eventStore: {
          append: async ({ sessionId }) => {
            await slow.promise;
            stored.add(sessionId);
          },
          after: () => [],
          forget: (sessionId) => {
            stored.delete(sessionId);
          },
        },
      },
    });
    const session = await initialize();
    await handler.fetch(post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session));
    const get = { accept: 'text/event-stream', ...session };
    await handler.fetch(new Request('http://localhost/mcp', { headers: get }));
    server.log('error', 'an event');
    await handler.fetch(
      new Request('http://localhost/mcp', { method: 'DELETE', headers: session }),
    );
    await connections[0]?.closed;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    slow.resolve();
    await handler.close();
    await vi.waitFor(() => {
      expect([...stored]).toEqual([]);
    });
    expect(stored.size).toBe(0);
  });
});

describe('the end of a handler', () => {
  const stateless = { sessions: false } as const;

  test('aborts a stateless request whose client has left', async () => {
    const { handler, started } = serveWeb(stateless);
    const leaving = new AbortController();
    void handler.fetch(new Request(post(HOLD), { signal: leaving.signal }));
    const signal = await started;
    leaving.abort();
    await handler.close();
    expect(signal.aborted).toBe(true);
  });

  test('aborts a stateless batch', async () => {
    const { handler, started } = serveWeb(stateless);
    const response = handler.fetch(post([HOLD], { 'mcp-protocol-version': '2025-03-26' }));
    const signal = await started;
    await handler.close();
    expect([signal.aborted, (await response).status]).toEqual([true, 503]);
  });

  test.each([
    { opened: 'session', request: () => post(INITIALIZE) },
    {
      opened: 'connection of HTTP+SSE',
      request: () =>
        new Request('http://localhost/sse', { headers: { accept: 'text/event-stream' } }),
    },
  ])('ends a $opened that is being opened', async ({ request }) => {
    const { server, handler } = serveWeb({ legacySse: true });
    const connect = server.connect.bind(server);
    const [connecting, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let connection: ServerConnection | undefined;
    vi.spyOn(server, 'connect').mockImplementation(async (transport) => {
      connection = await connect(transport);
      connecting.resolve();
      await release.promise;
      return connection;
    });
    const response = handler.fetch(request());
    await connecting.promise;
    await handler.close();
    release.resolve();
    expect((await response).status).toBe(503);
    await expect(connection?.closed).resolves.toBeUndefined();
    expect(handler.stats()).toMatchObject({ sessions: 0, sseConnections: 0 });
  });
});

test('sessions that open at the same time do not exceed the limit', async () => {
  const { handler } = serveWeb({ sessions: { maxSessions: 3 } });
  await Promise.all(Array.from({ length: 10 }, () => handler.fetch(post(INITIALIZE))));
  expect(handler.stats().sessions).toBeLessThanOrEqual(3);
});

test('a message whose HTTP+SSE stream ends while its body arrives starts no handler', async () => {
  const { handler, connections } = serveWeb({ legacySse: true });
  const stream = await handler.fetch(
    new Request('http://localhost/sse', { headers: { accept: 'text/event-stream' } }),
  );
  const reader = stream.body?.getReader();
  const first: { readonly value?: unknown } | undefined = await reader?.read();
  const path = /data: (\S+)/u.exec(Buffer.from(first?.value as Uint8Array).toString())?.[1];
  const body = Promise.withResolvers<string>();
  const response = handler.fetch(
    new Request(`http://localhost${String(path)}`, {
      method: 'POST',
      headers: POST_FIELDS,
      body: new ReadableStream({
        pull: async (controller) => {
          controller.enqueue(new TextEncoder().encode(await body.promise));
          controller.close();
        },
      }),
      duplex: 'half',
    }),
  );
  await reader?.cancel();
  await connections[0]?.closed;
  body.resolve(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }));
  expect((await response).status).toBe(404);
});

test('a handler that waits for a reader who pauses continues when its session ends', async () => {
  const finished = Promise.withResolvers<string>();
  const wait = toolOf('wait', async (_args, context) => {
    for (let step = 1; step < 50; step += 1)
      await context.progress({ progress: step, message: 'x'.repeat(1_000_000) });
    finished.resolve('finished');
    return { content: [] };
  });
  const gate = await openGate(
    { tools: [wait], settings: { limits: { progressIntervalMs: 0 } } },
    {},
  );
  const { sessionId } = await gate.send({ body: INITIALIZE });
  const headers = { 'mcp-session-id': sessionId };
  const params = { name: 'wait', arguments: {}, _meta: { progressToken: 'p' } };
  const paused = gate.pause({
    headers,
    body: { jsonrpc: '2.0', id: 2, method: 'tools/call', params },
  });
  await paused;
  await gate.send({ method: 'DELETE', headers });
  await expect(finished.promise).resolves.toBe('finished');
});
