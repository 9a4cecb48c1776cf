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

const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

afterEach(() => {
  vi.useRealTimers();
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
        'is ended: it sent more than 1000 lines that are not messages',
      ) as string,
    });
    expect(opened.unreadable.length).toBeLessThan(1100);
  });

  it('identifies the request of an event over the limit at any position of its id', async () => {
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
