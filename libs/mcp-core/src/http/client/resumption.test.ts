import { afterEach, describe, expect, it, vi } from 'vitest';
import {
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
