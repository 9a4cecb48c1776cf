import { describe, expect, it } from 'vitest';
import {
  answerJson,
  type Arrival,
  beginEvents,
  handshake,
  legacyRequest,
  modernRequest,
  openTransport,
  type ScriptedHttpServer,
  scriptedServer,
  until,
} from './scripted-http-server.test.support.ts';

/** A server of the old transport: GET opens the stream, `/messages` receives messages. */
async function sseServer(
  endpoint: string,
  said: (arrival: Arrival, say: (value: unknown) => void) => void,
): Promise<ScriptedHttpServer> {
  let stream: Arrival | undefined;
  const say = (value: unknown): void =>
    void stream?.response.write(`event: message\ndata: ${JSON.stringify(value)}\n\n`);
  return scriptedServer((arrival) => {
    if (arrival.method === 'GET') {
      stream = arrival;
      beginEvents(arrival);
      arrival.response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
    } else if (arrival.url === '/mcp') {
      arrival.response.writeHead(405).end('Cannot POST /mcp');
    } else {
      if (arrival.body?.method === 'initialize')
        say({
          jsonrpc: '2.0',
          id: arrival.body.id,
          result: { protocolVersion: '2024-11-05', capabilities: {} },
        });
      said(arrival, say);
    }
  });
}

describe('a server of HTTP+SSE', () => {
  it.each(['/messages?id=1', 'messages?id=1'])(
    'is spoken to at %s, and answers by its stream',
    async (endpoint) => {
      const server = await sseServer(endpoint, ({ response, body }, say) => {
        response.writeHead(202).end('Accepted');
        if (body?.method !== 'tools/call') return;
        say({ jsonrpc: '2.0', method: 'notifications/progress', params: {} });
        say({ jsonrpc: '2.0', id: body.id, result: { ok: true } });
      });
      const opened = await openTransport({ url: server.url, legacySse: true });
      await handshake(opened);
      await opened.transport.send(legacyRequest(2, 'tools/call', { name: 'a' }));
      await until(() => opened.messages.length === 2);
      expect(opened.messages[1]).toEqual({ jsonrpc: '2.0', id: 2, result: { ok: true } });
      expect(opened.failures).toEqual([]);
      expect(server.arrivals.map(({ method, url, body }) => [method, url, body?.method])).toEqual([
        ['POST', '/mcp', 'initialize'],
        ['GET', '/mcp', undefined],
        ['POST', '/messages?id=1', 'initialize'],
        ['POST', '/messages?id=1', 'notifications/initialized'],
        ['POST', '/messages?id=1', 'tools/call'],
      ]);
      await opened.transport.close();
      expect(opened.ends).toEqual([undefined]);
      await until(() => server.openConnections() === 0);
      expect(server.arrivals.some(({ method }) => method === 'DELETE')).toBe(false);
    },
  );

  it('is not assumed without the option', async () => {
    const server = await sseServer('/messages', ({ response }) => response.writeHead(202).end());
    const { transport, failures } = await openTransport({ url: server.url });
    await transport.send(legacyRequest(1, 'initialize'));
    await until(() => failures.length === 1);
    expect(failures[0]).toMatchObject({ id: 1, error: { status: 405 } });
    expect(server.arrivals).toHaveLength(1);
  });

  it('is found after it refused a probe of the modern era', async () => {
    const server = await sseServer('/messages', ({ response }) => response.writeHead(202).end());
    const opened = await openTransport({ url: server.url, legacySse: true });
    await opened.transport.send(modernRequest(7, 'server/discover'));
    await until(() => opened.failures.length === 1);
    expect(opened.failures[0]).toMatchObject({ id: 7, error: { status: 405 } });
    await handshake(opened);
    expect(server.arrivals.at(-1)?.url).toBe('/messages');
  });

  it('is not tried after a modern error', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32022, message: 'Unsupported' },
    });
    const server = await scriptedServer(({ response }) =>
      response.writeHead(400, { 'content-type': 'application/json' }).end(body),
    );
    const { transport, messages } = await openTransport({ url: server.url, legacySse: true });
    await transport.send(legacyRequest(1, 'initialize'));
    await until(() => messages.length === 1);
    expect(server.arrivals).toHaveLength(1);
  });

  it.each([401, 403, 500])('is not tried after %i', async (status) => {
    const server = await scriptedServer(({ response }) => response.writeHead(status).end());
    const { transport, failures } = await openTransport({ url: server.url, legacySse: true });
    await transport.send(legacyRequest(1, 'initialize'));
    await until(() => failures.length === 1);
    expect(server.arrivals).toHaveLength(1);
  });

  it.each([
    'http://127.0.0.1:1/messages',
    '//elsewhere.invalid/messages',
    'https://127.0.0.1/messages',
    'javascript:alert(1)',
  ])('is not followed to another origin: %s', async (endpoint) => {
    const server = await sseServer(endpoint, ({ response }) => response.writeHead(202).end());
    const { transport, failures } = await openTransport({
      url: server.url,
      legacySse: true,
      headers: { Authorization: 'Bearer secret' },
    });
    await transport.send(legacyRequest(1, 'initialize'));
    await until(() => failures.length === 1);
    expect(failures[0]).toMatchObject({
      id: 1,
      error: { status: 405, cause: { code: 'connect-failed' } },
    });
  });

  it('that does not exist fails initialize with the first error', async () => {
    const server = await scriptedServer((arrival) =>
      arrival.method === 'GET'
        ? answerJson(arrival)
        : arrival.response.writeHead(404).end('nothing here'),
    );
    const { transport, failures } = await openTransport({ url: server.url, legacySse: true });
    await transport.send(legacyRequest(1, 'initialize'));
    await until(() => failures.length === 1);
    expect(failures[0]).toMatchObject({
      id: 1,
      error: { status: 404, excerpt: 'nothing here', cause: { name: 'HttpError', status: 200 } },
    });
  });

  it('ends the connection when its stream ends', async () => {
    const server = await sseServer('/messages', ({ response }) => response.writeHead(202).end());
    const opened = await openTransport({ url: server.url, legacySse: true });
    await handshake(opened);
    server.destroyConnections();
    await until(() => opened.ends.length === 1);
    expect(opened.ends[0]).toMatchObject({ code: 'connection-lost' });
    await expect(opened.transport.send(legacyRequest(2, 'ping'))).rejects.toMatchObject({
      code: 'connection-closed',
    });
  });

  it('that refuses a message fails only its request', async () => {
    const server = await sseServer('/messages', ({ response, body }) =>
      response.writeHead(body?.id === 2 ? 413 : 202).end(),
    );
    const opened = await openTransport({ url: server.url, legacySse: true });
    await handshake(opened);
    await opened.transport.send(legacyRequest(2, 'tools/call'));
    expect(opened.failures).toMatchObject([{ id: 2, error: { status: 413 } }]);
    expect(opened.ends).toEqual([]);
  });

  it('that accepts no further connection leaves a request unsent', async () => {
    const server = await sseServer('/messages', ({ response }) => response.writeHead(202).end());
    const opened = await openTransport({ url: server.url, legacySse: true });
    await handshake(opened);
    server.stopListening();
    await until(() => server.openConnections() === 1);
    await expect(opened.transport.send(legacyRequest(2, 'ping'))).rejects.toMatchObject({
      code: 'connection-lost',
      sent: false,
    });
    expect(opened.failures).toEqual([]);
    expect(opened.ends).toEqual([]);
  });

  it('that never sends its address does not keep the transport from closing', async () => {
    const server = await scriptedServer((arrival) =>
      arrival.method === 'GET' ? beginEvents(arrival) : arrival.response.writeHead(405).end(),
    );
    const { transport, ends } = await openTransport({ url: server.url, legacySse: true });
    await transport.send(legacyRequest(1, 'initialize'));
    await until(() => server.arrivals.length === 2);
    await transport.close();
    expect(ends).toEqual([undefined]);
    await until(() => server.openConnections() === 0);
  });
});
