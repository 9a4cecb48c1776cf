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
