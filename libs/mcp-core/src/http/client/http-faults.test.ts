import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { MessageBudget } from '../../jsonrpc/message-budget.ts';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { HttpError } from '../../protocol/http-error.ts';
import {
  answerJson,
  beginEvents,
  handshake,
  legacyRequest,
  modernRequest,
  openTransport,
  playHandshake,
  scriptedServer,
  until,
} from './scripted-http-server.test.support.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a request fails alone', () => {
  it.each([
    ['a 202', 202, {}, '', 'no response to the request'],
    [
      'an HTML page',
      200,
      { 'content-type': 'text/html' },
      '<p>Hello',
      'neither JSON nor an event stream',
    ],
    ['a body without a type', 200, {}, '{}', 'neither JSON nor an event stream'],
    ['garbage', 200, { 'content-type': 'application/json' }, '{"jsonrpc":', 'the body is not JSON'],
    [
      'an encoded body',
      200,
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      '{}',
      'the body has a content encoding',
    ],
    [
      'an answer to something else',
      200,
      { 'content-type': 'application/json' },
      '{"jsonrpc":"2.0","id":"1","result":{}}',
      'is not a response to the request',
    ],
    ['an empty JSON body', 200, { 'content-type': 'application/json' }, '', 'the body is not JSON'],
    ['a 500', 500, { 'content-type': 'text/plain' }, 'Oh no', 'Oh no'],
    [
      'a 404 outside any session',
      404,
      { 'content-type': 'text/html' },
      'Cannot POST /mcp',
      'Cannot POST /mcp',
    ],
    [
      'a redirect to another origin',
      307,
      { location: 'http://elsewhere.invalid/mcp' },
      '',
      'redirects',
    ],
    ['a redirect that changes the method', 302, { location: '/other' }, '', 'redirects'],
  ])('by %s', async (_, status, headers, body, text) => {
    const server = await scriptedServer((arrival) => {
      if (arrival.body?.id === 1)
        arrival.response.writeHead(status, headers as Record<string, string>).end(body);
      else answerJson(arrival);
    });
    const { transport, messages, failures, ends } = await openTransport({ url: server.url });
    await transport.send(modernRequest(1, 'tools/list'));
    await until(() => failures.length === 1);
    expect(failures[0]).toMatchObject({
      id: 1,
      error: { name: 'HttpError', status, excerpt: body, isSessionLost: false },
    });
    expect(failures[0]?.error.message).toContain(text);
    messages.length = 0;
    await transport.send(modernRequest(2, 'tools/list'));
    await until(() => messages.length === 1);
    expect(ends).toEqual([]);
  });

  it.each([true, false])(
    'by a response over the limit (declared length: %s)',
    async (isDeclared) => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        result: { text: 'x'.repeat(10 * 1024 * 1024) },
      });
      const server = await scriptedServer((arrival) => {
        if (arrival.body?.id !== 1) return answerJson(arrival);
        arrival.response.on('error', () => undefined);
        arrival.response.writeHead(200, {
          'content-type': 'application/json',
          ...(isDeclared ? { 'content-length': body.length } : {}),
        });
        arrival.response.end(body);
      });
      const { transport, messages, failures } = await openTransport({
        url: server.url,
        maxMessageBytes: 1024 * 1024,
      });
      await Promise.all([
        transport.send(modernRequest(1, 'tools/list')),
        transport.send(modernRequest(2, 'tools/list')),
      ]);
      await until(() => failures.length === 1 && messages.length === 1);
      expect(failures[0]).toMatchObject({
        id: 1,
        error: {
          code: 'invalid-response',
          message: expect.stringContaining('longer than 1048576 bytes') as string,
        },
      });
    },
  );

  it.each<[string, string, RegExp, 'json' | 'events']>([
    [
      'of a million values as JSON',
      `[${'{},'.repeat(1_000_000)}{}]`,
      /has more than 262144 values/u,
      'json',
    ],
    [
      'of a million values as an event',
      `[${'{},'.repeat(1_000_000)}{}]`,
      /has more than 262144 values/u,
      'events',
    ],
    [
      'of 101 levels as JSON',
      `${'['.repeat(100)}${']'.repeat(100)}`,
      /nested deeper than 100 levels/u,
      'json',
    ],
    [
      'of 101 levels as an event',
      `${'['.repeat(100)}${']'.repeat(100)}`,
      /nested deeper than 100 levels/u,
      'events',
    ],
  ])('by an answer %s, which is not parsed', async (_title, list, problem, how) => {
    const body = `{"jsonrpc":"2.0","id":1,"result":${list}}`;
    const server = await scriptedServer((arrival) => {
      if (arrival.body?.id !== 1) return answerJson(arrival);
      if (how === 'events') beginEvents(arrival);
      else arrival.response.writeHead(200, { 'content-type': 'application/json' });
      arrival.response.end(how === 'events' ? `data: ${body}\n\n` : body);
    });
    const { transport, messages, failures, unreadable } = await openTransport({ url: server.url });
    await Promise.all([
      transport.send(modernRequest(1, 'tools/list')),
      transport.send(modernRequest(2, 'tools/list')),
    ]);
    await until(() => failures.length + unreadable.length === 1 && messages.length === 1);
    expect(failures[0]?.error.message ?? unreadable[0]?.detail).toMatch(problem);
    expect(failures[0]?.id ?? unreadable[0]?.answers).toBe(1);
  });

  it('by a response that only announces to be over the limit', async () => {
    const server = await scriptedServer(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2000 });
      response.flushHeaders();
    });
    const { transport, failures } = await openTransport({ url: server.url, maxMessageBytes: 1000 });
    await transport.send(modernRequest(1, 'tools/list'));
    await until(() => failures.length === 1);
    expect(failures[0]?.error.message).toContain('longer than 1000 bytes');
    await until(() => server.openConnections() === 0);
  });

  it.each(['json', 'events'] as const)(
    'by a response beyond the shared buffer of all connections (%s), which is released',
    async (how) => {
      const messageBudget = new MessageBudget(1024 * 1024);
      const server = await scriptedServer((arrival) => {
        if (arrival.body?.id !== 1) return answerJson(arrival);
        if (how === 'events') beginEvents(arrival);
        else arrival.response.writeHead(200, { 'content-type': 'application/json' });
        arrival.response.write(
          `${how === 'events' ? 'data: ' : ''}{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(900 * 1024)}`,
        );
      });
      const [first, second] = [
        await openTransport({ url: server.url, messageBudget }),
        await openTransport({ url: server.url, messageBudget }),
      ];
      await first.transport.send(modernRequest(1, 'tools/list'));
      await until(() => messageBudget.bytes > 600 * 1024);
      await second.transport.send(modernRequest(1, 'tools/list'));
      await until(() => second.failures.length === 1);
      expect(second.failures[0]?.error).toMatchObject({
        code: 'invalid-response',
        message: expect.stringContaining('finds no room') as string,
      });
      await first.transport.close();
      await until(() => messageBudget.bytes === 0);
    },
  );

  it('by an event over the limit', async () => {
    const server = await scriptedServer((arrival) => {
      if (arrival.body?.id !== 1) return answerJson(arrival);
      beginEvents(arrival);
      arrival.response.write(`data: ${'x'.repeat(100_000)}`);
    });
    const { transport, messages, failures } = await openTransport({
      url: server.url,
      maxMessageBytes: 50_000,
    });
    await Promise.all([
      transport.send(modernRequest(1, 'tools/list')),
      transport.send(modernRequest(2, 'tools/list')),
    ]);
    await until(() => failures.length === 1 && messages.length === 1);
    expect(failures[0]?.id).toBe(1);
    await until(() => server.openConnections() <= 1);
  });

  it('by a server that dies within an event', async () => {
    const server = await scriptedServer((arrival) => {
      beginEvents(arrival);
      arrival.response.write(
        'data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\ndata: {"jsonrpc":',
        () => arrival.socket.destroy(),
      );
    });
    const { transport, messages, failures, ends } = await openTransport({ url: server.url });
    await transport.send(modernRequest(1, 'tools/list'));
    await until(() => failures.length === 1);
    expect(messages).toHaveLength(1);
    expect(failures[0]).toMatchObject({ id: 1, error: { code: 'connection-lost', sent: true } });
    expect(ends).toEqual([]);
  });

  it('by a server that dies within a body', async () => {
    const server = await scriptedServer(({ response, socket }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{"jsonrpc"', () => socket.destroy());
    });
    const { transport, failures } = await openTransport({ url: server.url });
    await transport.send(modernRequest(1, 'tools/list'));
    await until(() => failures.length === 1);
    expect(failures[0]?.error).toMatchObject({ code: 'connection-lost', sent: true });
  });

  it('by a server that hangs up before it responds: it was sent', async () => {
    const server = await scriptedServer(({ socket }) => socket.destroy());
    const { transport, failures } = await openTransport({ url: server.url });
    await transport.send(modernRequest(1, 'tools/list'));
    await until(() => failures.length === 1);
    expect(failures[0]?.error).toMatchObject({ code: 'connection-lost', sent: true });
    expect(server.arrivals).toHaveLength(1);
  });

  it('by a server that does not speak HTTP', async () => {
    const tcp = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('220 hello\r\n');
    });
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void tcp.close());
    const { transport, failures } = await openTransport({
      url: `http://127.0.0.1:${(tcp.address() as AddressInfo).port}/`,
    });
    await transport.send(modernRequest(1, 'tools/list'));
    await until(() => failures.length === 1);
    expect(failures[0]?.error).toMatchObject({ code: 'connection-lost' });
  });
});

describe('an unsent message', () => {
  it('is rejected when the server does not listen', async () => {
    const server = await scriptedServer(() => undefined);
    await server.close();
    const { transport, failures } = await openTransport({ url: server.url });
    await expect(transport.send(modernRequest(1, 'tools/list'))).rejects.toMatchObject({
      code: 'connection-lost',
      sent: false,
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await expect(
      transport.send({ jsonrpc: '2.0', method: 'notifications/x' }),
    ).rejects.toMatchObject({ sent: false });
    expect(vi.getTimerCount()).toBe(0);
    expect(failures).toEqual([]);
  });

  it('is rejected: it cannot be written as JSON, or a header cannot be sent', async () => {
    const server = await scriptedServer((arrival) => answerJson(arrival));
    const { transport, failures } = await openTransport({ url: server.url });
    await expect(
      transport.send(modernRequest(1, 'tools/call', { name: 'a', arguments: { n: 1n } })),
    ).rejects.toThrow(TypeError);
    await expect(
      transport.send(modernRequest(1, 'tools/call'), { headers: { 'Mcp-Param-A': 'a\r\nb' } }),
    ).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(failures).toEqual([]);
    expect(server.arrivals).toEqual([]);
  });

  it('is rejected: the transport is closed', async () => {
    const { transport } = await openTransport({ url: 'http://127.0.0.1:1/' });
    await transport.close();
    await expect(transport.send(modernRequest(1, 'tools/list'))).rejects.toMatchObject({
      code: 'connection-closed',
    });
  });
});

describe('closing', () => {
  it('while requests of every kind run ends everything immediately, and reports it once', async () => {
    const server = await scriptedServer((arrival) => {
      if (playHandshake(arrival, { get: 'stream' })) return;
      if (arrival.body?.id === 2) return;
      beginEvents(arrival);
      if (arrival.body?.id === 3) arrival.response.write('id: 1\ndata:\n\n');
      if (arrival.body?.id === 4) arrival.response.end('id: 2\ndata:\n\n');
    });
    const { transport, failures, ends, messages } = await openTransport({ url: server.url });
    await handshake({ transport, failures, ends, messages, unreadable: [] });
    const sends = [2, 3, 4].map(async (id) => transport.send(legacyRequest(id, 'tools/call')));
    await until(
      () => server.arrivals.filter(({ body }) => body?.method === 'tools/call').length === 3,
    );
    await Promise.all([transport.close(), transport.close()]);
    await Promise.all(sends);
    expect(ends).toEqual([undefined]);
    expect(failures).toEqual([]);
    await until(() => server.openConnections() === 0);
    expect(server.arrivals.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  it('while a notification waits to be accepted rejects it', async () => {
    const server = await scriptedServer(() => undefined);
    const { transport } = await openTransport({ url: server.url });
    const outcome = transport
      .send({ jsonrpc: '2.0', method: 'notifications/x' })
      ?.catch((error: unknown) => error);
    await until(() => server.arrivals.length === 1);
    await transport.close();
    expect(await outcome).toMatchObject({ code: 'connection-lost' });
  });

  it('while headers are pending sends nothing', async () => {
    const server = await scriptedServer((arrival) => answerJson(arrival));
    const asked = Promise.withResolvers<{ Authorization: string }>();
    const { transport, failures } = await openTransport({
      url: server.url,
      headers: () => asked.promise,
    });
    const sending = transport.send(modernRequest(1, 'tools/list'));
    await transport.close();
    asked.resolve({ Authorization: 'x' });
    await sending;
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.arrivals).toEqual([]);
    expect(failures).toEqual([]);
  });
});

it('1000 calls in a row share one connection, even when their responses are streams', async () => {
  const server = await scriptedServer((arrival) => {
    if (Number(arrival.body?.id) % 2 === 0) return answerJson(arrival);
    beginEvents(arrival);
    arrival.response.end(
      `data: ${JSON.stringify({ jsonrpc: '2.0', id: arrival.body?.id, result: {} })}\n\n`,
    );
  });
  const { transport, messages, failures } = await openTransport({ url: server.url });
  for (let id = 1; id <= 1000; id += 1) {
    await transport.send(modernRequest(id, 'tools/call', { name: 'a' }));
    await until(() => messages.length === id);
    // The end of a stream comes after its response.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(failures).toEqual([]);
  expect(server.connections()).toBeLessThanOrEqual(3);
});

it('an error is one line, however the server formats its pages', async () => {
  const page = `<html>\n  <body>\r\n\u001b[31m${'x'.repeat(1000)}`;
  const server = await scriptedServer(({ response }) => response.writeHead(502).end(page));
  const { transport, failures } = await openTransport({ url: server.url });
  await transport.send(modernRequest(1, 'tools/list'));
  await until(() => failures.length === 1);
  const error = failures[0]!.error as HttpError;
  expect(error.message).toMatch(
    /^http:\/\/127\.0\.0\.1:\d+ answered 502: <html> <body> \[31mx+… \(\d+ characters\)$/,
  );
  expect(error.excerpt).toHaveLength(500);
});

it('an error contains neither sent headers nor secrets that the server set', async () => {
  const server = await scriptedServer(({ headers, response }) => {
    response.writeHead(403, {
      'set-cookie': 'sid=c00kie-value',
      'mcp-session-id': 'session-value',
      'www-authenticate': 'Bearer error="insufficient_scope"',
    });
    response.end(`You sent ${String(headers.authorization)} and ${String(headers['x-api-key'])}`);
  });
  const { transport, failures } = await openTransport({
    url: `${server.url}/path-s3cret?key=qu3ry-s3cret`,
    headers: { Authorization: 'Bearer t0ken-value', 'X-Api-Key': 'k3y-value' },
  });
  await transport.send(modernRequest(1, 'tools/list'));
  await until(() => failures.length === 1);
  const error = failures[0]!.error as HttpError;
  expect(error).toMatchObject({
    status: 403,
    headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
  });
  expect(JSON.stringify([error.message, error.headers, error.excerpt])).not.toMatch(
    /t0ken|k3y-value|c00kie|session-value|s3cret/,
  );
  expect(error.excerpt).toContain('You sent');
});
