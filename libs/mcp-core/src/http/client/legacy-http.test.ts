import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  answerJson,
  type Arrival,
  beginEvents,
  handshake,
  legacyRequest,
  openTransport,
  playHandshake,
  scriptedServer,
  until,
} from './scripted-http-server.test.support.ts';

const event = (value: unknown, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`;
const result = (id: number, text: string): unknown => ({ jsonrpc: '2.0', id, result: { text } });

afterEach(() => {
  vi.useRealTimers();
});

describe('a legacy session', () => {
  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'of %s names its id and revision after initialize, and is ended by close',
    async (version) => {
      const server = await scriptedServer(
        (arrival) => void (playHandshake(arrival, { version }) || answerJson(arrival)),
      );
      const opened = await openTransport({ url: server.url });
      await handshake(opened);
      await opened.transport.send(legacyRequest(2, 'tools/list'));
      await opened.transport.close();
      const named = server.arrivals.map(({ method, body, headers }) => ({
        what: `${method} ${body?.method ?? ''}`,
        of: [headers['mcp-session-id'], headers['mcp-protocol-version']],
      }));
      expect(named[0]).toEqual({ what: 'POST initialize', of: [undefined, undefined] });
      expect(named.slice(1).every(({ of }) => of[0] === 'session-1' && of[1] === version)).toBe(
        true,
      );
      expect(new Set(named.slice(1).map(({ what }) => what))).toEqual(
        new Set(['POST notifications/initialized', 'GET ', 'POST tools/list', 'DELETE ']),
      );
      expect(server.arrivals.every(({ headers }) => headers['mcp-method'] === undefined)).toBe(
        true,
      );
      expect(opened.ends).toEqual([undefined]);
    },
  );

  it('is ready for requests when the server has opened its stream, so that no request of the server is lost', async () => {
    const opening = Promise.withResolvers<Arrival>();
    const server = await scriptedServer((arrival) => {
      if (arrival.method === 'GET') opening.resolve(arrival);
      else void (playHandshake(arrival) || answerJson(arrival));
    });
    const opened = await openTransport({ url: server.url });
    let isReady = false;
    const ready = handshake(opened).then(() => (isReady = true));
    const get = await opening.promise;
    // A round trip that would have made it ready.
    await opened.transport.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    expect(isReady).toBe(false);
    beginEvents(get);
    get.response.flushHeaders();
    await ready;
  });

  it('without an id sends none, and no DELETE', async () => {
    const server = await scriptedServer(
      (arrival) => void (playHandshake(arrival, { sessionId: '' }) || answerJson(arrival)),
    );
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await until(() => server.arrivals.length === 3);
    await opened.transport.close();
    expect(
      server.arrivals.map(({ method, headers }) => [method, headers['mcp-session-id']]),
    ).toEqual([
      ['POST', undefined],
      ['POST', undefined],
      ['GET', undefined],
    ]);
  });

  it('is read from an initialize whose response is a stream', async () => {
    const server = await scriptedServer((arrival) => {
      if (arrival.body?.method === 'initialize') {
        beginEvents(arrival, { 'Mcp-Session-Id': 's-9' });
        arrival.response.end(
          event({
            jsonrpc: '2.0',
            id: 1,
            result: { protocolVersion: '2025-06-18', capabilities: {} },
          }),
        );
      } else {
        playHandshake(arrival);
      }
    });
    await handshake(await openTransport({ url: server.url }));
    expect(server.arrivals[1]?.headers).toMatchObject({
      'mcp-session-id': 's-9',
      'mcp-protocol-version': '2025-06-18',
    });
  });

  it('responds to an input request with a separate POST while the stream stays open', async () => {
    let call: Arrival | undefined;
    const server = await scriptedServer((arrival) => {
      if (arrival.body?.method === 'tools/call') {
        call = arrival;
        beginEvents(arrival);
        arrival.response.write(event({ jsonrpc: '2.0', id: 'q-1', method: 'roots/list' }));
      } else if (arrival.body?.id === 'q-1') {
        arrival.response.writeHead(202).end();
        call?.response.end(event(result(2, 'done')));
      } else {
        playHandshake(arrival);
      }
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await opened.transport.send(legacyRequest(2, 'tools/call', { name: 'a' }));
    await until(() => opened.messages.length === 1);
    await opened.transport.send({ jsonrpc: '2.0', id: 'q-1', result: { roots: [] } });
    await until(() => opened.messages.length === 2);
    expect(opened.messages).toEqual([
      { jsonrpc: '2.0', id: 'q-1', method: 'roots/list' },
      result(2, 'done'),
    ]);
    expect(server.arrivals.find(({ body }) => body?.id === 'q-1')?.headers['mcp-session-id']).toBe(
      'session-1',
    );
  });

  it('that the server has ended fails its requests, and close does not end it again', async () => {
    const lost = JSON.stringify({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32001, message: 'Session not found' },
    });
    const server = await scriptedServer((arrival) => {
      if (arrival.body?.method === 'tools/list')
        arrival.response.writeHead(404, { 'content-type': 'application/json' }).end(lost);
      else playHandshake(arrival);
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await opened.transport.send(legacyRequest(2, 'tools/list'));
    await until(() => opened.failures.length === 1);
    expect(opened.failures[0]).toMatchObject({
      id: 2,
      error: { status: 404, isSessionLost: true, rpcError: { code: -32001 } },
    });
    expect(opened.messages).toEqual([]);
    await expect(
      opened.transport.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }),
    ).resolves.toBeUndefined();
    await opened.transport.close();
    expect(server.arrivals.some(({ method }) => method === 'DELETE')).toBe(false);
  });

  it('notifies the server of a cancelled request and ends its stream', async () => {
    let isClosed = false;
    const server = await scriptedServer((arrival) => {
      if (arrival.body?.method !== 'tools/call') return void playHandshake(arrival);
      beginEvents(arrival);
      arrival.response.write('id: 1\ndata:\n\n');
      arrival.response.on('close', () => {
        isClosed = true;
      });
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await opened.transport.send(legacyRequest(2, 'tools/call', { name: 'a' }));
    await opened.transport.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 2 },
    });
    await until(() => isClosed);
    expect(server.arrivals.at(-1)?.body).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: 2 },
    });
    expect(opened.failures).toEqual([]);
  });

  it('rejects a notification that the server refuses', async () => {
    const server = await scriptedServer((arrival) => {
      if (arrival.body?.method === 'notifications/initialized')
        arrival.response.writeHead(400).end('no');
      else playHandshake(arrival);
    });
    const opened = await openTransport({ url: server.url });
    await expect(handshake(opened)).rejects.toMatchObject({
      name: 'HttpError',
      status: 400,
      excerpt: 'no',
    });
    expect(server.arrivals.some(({ method }) => method === 'GET')).toBe(false);
  });

  it('does not wait forever for a notification to be accepted', async () => {
    const server = await scriptedServer(
      (arrival) => void (arrival.body?.method === 'initialize' && playHandshake(arrival)),
    );
    const opened = await openTransport({ url: server.url, acceptTimeoutMs: 50 });
    await expect(handshake(opened)).rejects.toMatchObject({ code: 'request-timeout', sent: true });
    await until(() => server.openConnections() === 0);
  });

  it('closes even if the server does not respond to DELETE', async () => {
    const server = await scriptedServer(
      (arrival) => void (arrival.method === 'DELETE' || playHandshake(arrival)),
    );
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await opened.transport.close();
    expect(opened.ends).toEqual([undefined]);
    await until(() => server.openConnections() === 0);
  });
});
