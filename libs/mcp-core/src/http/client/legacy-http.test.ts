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
const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

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

  it('is ready for requests when the server has opened its stream, so that no question is lost', async () => {
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

describe('the standalone stream', () => {
  const standalone = ({ method, headers }: Arrival): boolean =>
    method === 'GET' && headers['last-event-id'] === undefined;

  it('carries messages without a request', async () => {
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival, { get: 'stream' })) return;
      beginEvents(arrival);
      arrival.response.write(event(changed));
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await until(() => opened.messages.length === 1);
    expect(opened.messages).toEqual([changed]);
    expect(server.arrivals.find(standalone)?.headers).toMatchObject({
      accept: 'text/event-stream',
      'mcp-session-id': 'session-1',
    });
  });

  it.each([405, 404, 400, 401])('is not requested again after %i', async (status) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const server = await scriptedServer(
      (arrival) => void (playHandshake(arrival, { get: status }) || answerJson(arrival)),
    );
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await until(() =>
      server.arrivals.some(({ response, method }) => method === 'GET' && response.writableFinished),
    );
    await opened.transport.send(legacyRequest(2, 'ping'));
    await until(() => opened.messages.length === 1);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(server.arrivals.filter(({ method }) => method === 'GET')).toHaveLength(1);
    expect(opened.ends).toEqual([]);
  });

  it('resumes from its last event after exactly the delay that the server requested', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival, { get: 'stream' })) return;
      beginEvents(arrival);
      if (standalone(arrival)) arrival.response.end(`retry: 1234\n${event(changed, 'e-7')}`);
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    const gets = (): readonly Arrival[] => server.arrivals.filter(({ method }) => method === 'GET');
    await until(() => opened.messages.length === 1 && vi.getTimerCount() === 1);
    await vi.advanceTimersByTimeAsync(1233);
    expect(vi.getTimerCount()).toBe(1);
    expect(gets()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await until(() => gets().length === 2);
    expect(gets()[1]?.headers['last-event-id']).toBe('e-7');
  });

  it('is retried forever, with increasing delays', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const gets = (): number => server.arrivals.filter(({ method }) => method === 'GET').length;
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival, { get: 'stream' })) return;
      if (gets() <= 12) arrival.response.writeHead(503).end();
      else beginEvents(arrival);
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    const waits: number[] = [];
    while (gets() < 13) {
      await until(() => vi.getTimerCount() === 1);
      const before = gets();
      let waitedMs = 0;
      while (vi.getTimerCount() === 1) {
        await vi.advanceTimersByTimeAsync(500);
        waitedMs += 500;
      }
      waits.push(waitedMs);
      await until(() => gets() === before + 1);
    }
    expect(waits).toEqual([
      1000,
      2000,
      4000,
      8000,
      16_000,
      ...Array.from({ length: 7 }, () => 30_000),
    ]);
    expect(opened.failures).toEqual([]);
    expect(opened.ends).toEqual([]);
  });

  it('is opened once a second at most, however short the requested delay is', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let gets = 0;
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival, { get: 'stream' })) return;
      gets += 1;
      beginEvents(arrival);
      arrival.response.end(`retry: 0\n${event(changed, `e-${String(gets)}`)}`);
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    for (let count = 1; count <= 3; count += 1) {
      await until(() => gets === count && vi.getTimerCount() === 1);
      await vi.advanceTimersByTimeAsync(999);
      expect(gets).toBe(count);
      await vi.advanceTimersByTimeAsync(1);
    }
    await until(() => gets === 4);
  });

  it('is reopened when a server that sent comments falls silent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const gets: Arrival[] = [];
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival, { get: 'stream' })) return;
      gets.push(arrival);
      beginEvents(arrival);
      arrival.response.write(`: hello\n\n${event(changed, 'e-1')}`);
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await until(() => opened.messages.length === 1);
    await vi.advanceTimersByTimeAsync(20_000);
    gets[0]?.response.write(': keep-alive\n\n');
    await until(() => vi.getTimerCount() === 1);
    // The connection is open, but the server is silent.
    await vi.advanceTimersByTimeAsync(80_000);
    await until(() => opened.messages.length === 1 && vi.getTimerCount() === 1);
    await vi.advanceTimersByTimeAsync(1000);
    await until(() => gets.length === 2);
    expect(gets[1]?.headers['last-event-id']).toBe('e-1');
  });

  it('ends the connection when its session has ended', async () => {
    let gets = 0;
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival, { get: 'stream' })) return;
      gets += 1;
      if (gets > 1) return void arrival.response.writeHead(404).end();
      beginEvents(arrival);
      arrival.response.end('retry: 1\n\n');
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await until(() => opened.ends.length === 1);
    expect(opened.ends[0]).toMatchObject({
      code: 'connection-lost',
      cause: { status: 404, isSessionLost: true },
    });
    await expect(opened.transport.send(legacyRequest(5, 'ping'))).rejects.toMatchObject({
      code: 'connection-closed',
    });
  });

  it('ends when the server floods it with unreadable events', async () => {
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival, { get: 'stream' })) return;
      beginEvents(arrival);
      arrival.response.write('data: !\n\n'.repeat(5000));
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await until(() => opened.ends.length === 1);
    expect(opened.ends[0]).toMatchObject({
      code: 'connection-lost',
      message: expect.stringContaining(
        'is ended: it sent more than 1000 lines that are no messages',
      ) as string,
    });
    expect(opened.unreadable.length).toBeLessThan(1100);
  });

  it('identifies the request of an event over the limit, wherever its id stands', async () => {
    const long = 'x'.repeat(2000);
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival, { get: 'stream' })) return;
      beginEvents(arrival);
      arrival.response.write(`data: {"jsonrpc":"2.0","id":7,"result":{"text":"${long}"}}\n\n`);
      arrival.response.write(
        `data: {"result":{"id":1,"text":"${long}"},\ndata: "id":"8","jsonrpc":"2.0"}\n\n${event(changed)}`,
      );
    });
    const opened = await openTransport({ url: server.url, maxMessageBytes: 1000 });
    await handshake(opened);
    await until(() => opened.messages.length === 1);
    expect(opened.unreadable.map(({ answers }) => answers)).toEqual([7, '8']);
  });

  it('survives an event over the limit and one that is not JSON', async () => {
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival, { get: 'stream' })) return;
      beginEvents(arrival);
      arrival.response.write(`data: ${'x'.repeat(2000)}\n\ndata: {oops\n\n${event(changed)}`);
    });
    const opened = await openTransport({ url: server.url, maxMessageBytes: 1000 });
    await handshake(opened);
    await until(() => opened.messages.length === 1);
    expect(opened.unreadable.map(({ reason }) => reason)).toEqual(['too-large', 'parse-error']);
  });
});

describe('a stream that ends before its response', () => {
  it('is resumed by GET after exactly the requested delay, and then once a second at most', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival)) return;
      const { 'last-event-id': lastEventId } = arrival.headers;
      beginEvents(arrival);
      if (arrival.body?.method === 'tools/call')
        arrival.response.end('id: e-1\nretry: 500\ndata: \n\n');
      else if (lastEventId === 'e-1')
        arrival.response.end(
          event({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }, 'e-2'),
        );
      else arrival.response.write(event(result(2, 'late'), 'e-3'));
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await opened.transport.send(legacyRequest(2, 'tools/call', { name: 'a' }));
    for (const [expected, delayMs] of [
      ['e-1', 500],
      ['e-2', 1000],
    ] as const) {
      await until(() => vi.getTimerCount() === 1);
      await vi.advanceTimersByTimeAsync(delayMs - 1);
      expect(server.arrivals.at(-1)?.headers['last-event-id']).not.toBe(expected);
      await vi.advanceTimersByTimeAsync(1);
      await until(() => server.arrivals.at(-1)?.headers['last-event-id'] === expected);
    }
    await until(() => opened.messages.length === 2);
    expect(opened.messages[1]).toEqual(result(2, 'late'));
    expect(opened.failures).toEqual([]);
    expect(server.arrivals.at(-1)?.headers).toMatchObject({
      'mcp-session-id': 'session-1',
      accept: 'text/event-stream',
    });
    await until(() => vi.getTimerCount() === 0);
  });

  it('is resumed when the connection broke within an event', async () => {
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival)) return;
      beginEvents(arrival);
      if (arrival.method === 'GET') return void arrival.response.end(event(result(2, 'again')));
      arrival.response.write('retry: 1\nid: e-1\ndata:\n\nid: e-2\ndata: {"jsonrpc":', () =>
        arrival.socket.destroy(),
      );
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await opened.transport.send(legacyRequest(2, 'tools/call', { name: 'a' }));
    await until(() => opened.messages.length === 1);
    expect(opened.messages).toEqual([result(2, 'again')]);
    expect(server.arrivals.at(-1)?.headers['last-event-id']).toBe('e-1');
    expect(server.arrivals.filter(({ body }) => body?.method === 'tools/call')).toHaveLength(1);
  });

  it('fails its request without event ids', async () => {
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival)) return;
      beginEvents(arrival);
      arrival.response.end(event(changed));
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await opened.transport.send(legacyRequest(2, 'tools/call', { name: 'a' }));
    await until(() => opened.failures.length === 1);
    expect(opened.failures[0]).toMatchObject({
      id: 2,
      error: { code: 'connection-lost', sent: true },
    });
  });

  it.each([
    [405, false],
    [404, true],
  ])(
    'fails its request when the server refuses to resume it with %i',
    async (status, isSessionLost) => {
      const server = await scriptedServer((arrival) => {
        if (playHandshake(arrival)) return;
        if (arrival.method === 'GET') return void arrival.response.writeHead(status).end();
        beginEvents(arrival);
        arrival.response.end('retry: 1\nid: e-1\ndata:\n\n');
      });
      const opened = await openTransport({ url: server.url });
      await handshake(opened);
      await opened.transport.send(legacyRequest(2, 'tools/call', { name: 'a' }));
      await until(() => opened.failures.length === 1);
      expect(opened.failures[0]).toMatchObject({
        id: 2,
        error: { code: 'connection-lost', sent: true, cause: { status, isSessionLost } },
      });
      expect(opened.ends).toEqual([]);
    },
  );

  it('fails its request when the server stays unreachable', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival)) return;
      beginEvents(arrival);
      arrival.response.write('retry: 10\nid: e-1\ndata:\n\n');
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await opened.transport.send(legacyRequest(2, 'tools/call', { name: 'a' }));
    await until(() =>
      server.arrivals.some(({ response, body }) => body?.id === 2 && response.headersSent),
    );
    await server.close();
    while (opened.failures.length === 0) {
      await until(() => vi.getTimerCount() === 1 || opened.failures.length === 1);
      await vi.advanceTimersByTimeAsync(30_000);
    }
    expect(opened.failures[0]).toMatchObject({ id: 2, error: { code: 'connection-lost' } });
    expect(opened.ends).toEqual([]);
  });

  it('is not resumed once the request is cancelled or the transport closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival)) return;
      beginEvents(arrival);
      arrival.response.end('id: e-1\ndata:\n\n');
    });
    const opened = await openTransport({ url: server.url });
    await handshake(opened);
    await opened.transport.send(legacyRequest(2, 'tools/call', { name: 'a' }));
    await opened.transport.send(legacyRequest(3, 'tools/call', { name: 'a' }));
    await until(() => vi.getTimerCount() === 2);
    await opened.transport.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 2 },
    });
    expect(vi.getTimerCount()).toBe(1);
    await opened.transport.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
