import { type AddressInfo, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import {
  Agent,
  createServer as createNodeServer,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createServer } from '../../server/create-server.ts';
import { ErrorCode } from '../../protocol/errors.ts';
import { createHttpHandler } from './create-http-handler.ts';
import { echo, type HttpPeer, serve, toolOf } from './http-peer.test.support.ts';
import { serveHttp } from './serve-http.ts';

/** Opens a connection on which the test writes raw bytes. */
async function open(peer: HttpPeer): Promise<{
  readonly socket: Socket;
  readonly text: () => string;
  readonly closed: Promise<unknown>;
}> {
  const socket = connect(peer.listener.port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, text: () => text, closed };
}

function headOf(peer: HttpPeer, fields: string): string {
  return `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${String(peer.listener.port)}\r\nContent-Type: application/json\r\nAccept: */*\r\n${fields}\r\n\r\n`;
}

function postOf(body: Uint8Array<ArrayBuffer>): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json', accept: '*/*' }, body };
}

test('a body may begin with a byte order mark', async () => {
  const peer = await serve();
  const request = peer.modern('server/discover');
  const body = `\uFEFF${JSON.stringify(request.body)}`;
  const { status } = await peer.exchange({ ...request, body });
  expect(status).toBe(200);
});

describe('an invalid HTTP request', () => {
  test.each(['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'TRACE'])(
    '%s is answered with 405 and the allowed methods',
    async (method) => {
      const peer = await serve();
      expect(await peer.exchange({ method })).toMatchObject({
        status: 405,
        headers: { allow: 'POST, GET, DELETE' },
      });
    },
  );

  test('on another path gets 404; a query does not matter', async () => {
    const peer = await serve();
    for (const path of ['/', '/mcp/', '/MCP', '/sse', '/messages'])
      expect((await peer.exchange({ path, body: {} })).status).toBe(404);
    expect(
      (await peer.exchange({ path: '/mcp?a=b', ...peer.modern('server/discover') })).status,
    ).toBe(200);
  });

  test.each(['text/plain', 'application/jsonp', '', 'application/x-www-form-urlencoded'])(
    'a body of type "%s" is answered with 415',
    async (type) => {
      const peer = await serve();
      const { status, headers } = await peer.exchange({
        ...peer.modern('server/discover'),
        headers: { ...peer.modern('server/discover').headers, 'content-type': type },
      });
      expect({ status, type: headers['content-type'] }).toEqual({
        status: 415,
        type: 'text/plain; charset=utf-8',
      });
    },
  );

  test.each([
    ['application/json', 406],
    ['text/event-stream', 406],
    ['text/html', 406],
    ['*/*', 200],
    ['application/*, text/*;q=0.5', 200],
    ['Text/Event-Stream;q=1, APPLICATION/JSON', 200],
    [undefined, 200],
  ])('a client that accepts %s gets %i', async (accept, expected) => {
    const peer = await serve();
    const request = peer.modern('server/discover', {}, { headers: { accept } });
    expect((await peer.exchange(request)).status).toBe(expected);
  });

  test('with a body that is not UTF-8 gets 400 and -32700, on both faces', async () => {
    const peer = await serve();
    const body = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('"}'),
    ]);
    const handler = createHttpHandler(createServer({ info: { name: 'test', version: '1' } }));
    for (const answer of [
      await fetch(peer.listener.url, postOf(body)),
      await handler.fetch(new Request('http://127.0.0.1/mcp', postOf(body))),
    ]) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({
        jsonrpc: '2.0',
        error: { code: ErrorCode.parseError, message: 'Parse error: the body is not UTF-8' },
      });
    }
  });

  test.each([
    ['nothing', ''],
    ['a part of JSON', '{"jsonrpc":"2.0"'],
    ['text', 'hello'],
  ])('a body with %s is answered with 400 and -32700 without id', async (_title, body) => {
    const peer = await serve();
    const { status, json } = await peer.exchange({ body });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { code: ErrorCode.parseError } });
    expect(json).not.toHaveProperty('id');
  });

  test.each([
    ['a number', '1', undefined],
    ['no method', '{"jsonrpc":"2.0","id":1}', 1],
    ['another version', '{"jsonrpc":"1.0","id":"a","method":"ping"}', 'a'],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 1],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', undefined],
    ['an id that is no integer', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', undefined],
  ])(
    'a message with %s is answered with 400, -32600 and its id if it has one',
    async (_title, body, id) => {
      const peer = await serve();
      const { status, json } = await peer.exchange({ body });
      expect({ status, json }).toMatchObject({
        status: 400,
        json: { error: { code: ErrorCode.invalidRequest } },
      });
      expect(json.id).toBe(id);
    },
  );

  test('with a deeply nested message does no harm', async () => {
    const peer = await serve({ tools: [echo] });
    const depth = 100_000;
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
    expect((await peer.exchange({ body: deep })).status).toBe(400);
    expect((await peer.exchange({ body: '['.repeat(depth) })).json).toMatchObject({
      error: { code: ErrorCode.parseError },
    });
    expect((await peer.exchange(peer.modern('tools/list'))).status).toBe(200);
  });
});

describe('a body over the limit', () => {
  test('gets 413 however it is sent, and the connection continues', async () => {
    const peer = await serve({ tools: [echo] }, { limits: { maxBodyBytes: 100_000 } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => {
      agent.destroy();
    });
    const sockets = new Set<unknown>();
    const post = async (text: string, headers: object): Promise<number | undefined> => {
      const request = httpRequest({
        host: '127.0.0.1',
        port: peer.listener.port,
        path: '/mcp',
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', ...headers },
      });
      request.on('socket', (socket) => {
        sockets.add(socket);
      });
      request.end(text);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      return response.statusCode;
    };
    const big = JSON.stringify({ text: 'x'.repeat(400_000) });
    await expect(post(big, { 'content-length': String(big.length) })).resolves.toBe(413);
    await expect(post(big, { 'transfer-encoding': 'chunked' })).resolves.toBe(413);
    const { headers, body } = peer.modern('server/discover');
    await expect(post(JSON.stringify(body), { ...headers })).resolves.toBe(200);
    expect(sockets.size).toBe(1);
  });

  test('that never ends is cut off', async () => {
    const peer = await serve({}, { limits: { maxBodyBytes: 1000 } });
    const { socket, text, closed } = await open(peer);
    socket.write(headOf(peer, 'Transfer-Encoding: chunked'));
    const chunk = `400\r\n${'x'.repeat(1024)}\r\n`;
    const timer = setInterval(() => {
      socket.write(chunk.repeat(8));
    }, 1);
    onTestFinished(() => {
      clearInterval(timer);
    });
    await closed;
    expect(text()).toContain('413');
  });

  test('at the limit is served', async () => {
    const peer = await serve({ tools: [echo] });
    const { headers, body } = peer.modern('server/discover', {}, { id: '' });
    const empty = JSON.stringify(body).length;
    const limited = await serve({}, { limits: { maxBodyBytes: empty + 10 } });
    const statusOf = async (length: number) =>
      (
        await limited.exchange({
          headers: { ...headers },
          body: { ...(body as object), id: 'x'.repeat(length) },
        })
      ).status;
    await expect(statusOf(10)).resolves.toBe(200);
    await expect(statusOf(11)).resolves.toBe(413);
  });
});

describe('a connection', () => {
  test('whose body stops halfway is ended after the time limit', async () => {
    const peer = await serve({}, { limits: { requestTimeoutMs: 100 } });
    const { socket, text, closed } = await open(peer);
    socket.write(`${headOf(peer, 'Content-Length: 100')}{"jsonrpc"`);
    await closed;
    expect(text()).toContain('408');
  });

  test('that ends within a body leaves nothing behind', async () => {
    const peer = await serve({ tools: [echo] });
    const { socket, closed } = await open(peer);
    socket.end(`${headOf(peer, 'Content-Length: 100')}{"jsonrpc"`);
    await closed;
    await expect(peer.listener.close()).resolves.toBeUndefined();
  });

  test('with huge headers is refused', async () => {
    const peer = await serve();
    expect(
      (
        await peer.exchange({
          ...peer.modern('server/discover', {}, { headers: { 'x-large': 'x'.repeat(20_000) } }),
        })
      ).status,
    ).toBe(431);
  });

  test('that the client closes during a response affects no other client', async () => {
    const big = toolOf('big', () => ({
      content: [{ type: 'text', text: 'x'.repeat(20_000_000) }],
    }));
    const peer = await serve({ tools: [big, echo] });
    const response = await peer.send(peer.modern('tools/call', { name: 'big', arguments: {} }));
    await once(response.incoming, 'data');
    response.destroy();
    await response.ended;
    expect((await peer.exchange(peer.modern('tools/list'))).status).toBe(200);
  });
});

test('a body that was already read counts as missing', async () => {
  const handler = createHttpHandler(createServer({ info: { name: 'test', version: '1' } }));
  const listener = createNodeServer((request, response) => {
    request.resume().on('end', () => {
      setImmediate(() => {
        handler.handle(request, response);
      });
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => {
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${String(port)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(response.status).toBe(400);
});

test('an address in use is reported', async () => {
  const peer = await serve();
  await expect(serveHttp(peer.server, { port: peer.listener.port })).rejects.toThrow('EADDRINUSE');
});

test('the url contains the address', async () => {
  const peer = await serve({}, { path: '/other' });
  expect(peer.listener.url).toBe(`http://127.0.0.1:${String(peer.listener.port)}/other`);
});

test('an onError that throws is reported on stderr, and its request gets a response', async () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    stderr.mockRestore();
  });
  const onError = (): never => {
    throw new Error('the reporter is broken');
  };
  const peer = await serve(
    {},
    { onError, access: { authenticate: () => Promise.reject(new Error('no database')) } },
  );
  expect((await peer.exchange({ body: {} })).status).toBe(500);
  expect(String(stderr.mock.calls[0]?.[0])).toContain('the reporter is broken');
});
