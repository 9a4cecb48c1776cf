import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { httpPost } from './http-post.ts';
import type { PostRequest, PostResponse } from './model-post.ts';

type Handler = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a server on a random loopback port. */
async function serve(handler: Handler) {
  const bodies: string[] = [];
  const ports: (number | undefined)[] = [];
  const server = createServer((request, response) => {
    ports.push(request.socket.remotePort);
    void (async () => {
      bodies.push(Buffer.concat(await request.toArray()).toString('utf8'));
      handler(response, request);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat?a=b`,
    bodies,
    /** Port of the client for each request. */
    ports,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const post = httpPost();

function requestTo(url: string, more: Partial<PostRequest> = {}): PostRequest {
  return { url, headers: {}, body: '{}', signal: new AbortController().signal, ...more };
}

async function textOf(response: PostResponse): Promise<string> {
  const pieces: Uint8Array[] = [];
  for (let piece = await response.read(); piece !== undefined; piece = await response.read())
    pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

test('a request has the given path, headers and body, and no others that identify anything', async () => {
  let seen: IncomingMessage | undefined;
  using server = await serve((response, request) => {
    seen = request;
    response.writeHead(418, { 'x-request-id': 'r1' }).end('short');
  });
  const headers = { accept: 'x/y', authorization: 'Bearer ours' };
  const response = await post(requestTo(server.url, { headers, body: '{"ö":1}' }));
  expect(response.status).toBe(418);
  expect(response.header('x-request-id')).toBe('r1');
  expect(response.header('x-other')).toBeUndefined();
  expect(await textOf(response)).toBe('short');
  expect(seen).toMatchObject({ method: 'POST', url: '/v1/chat?a=b' });
  expect(server.bodies).toEqual(['{"ö":1}']);
  expect(seen?.headers).toEqual({
    ...headers,
    'accept-encoding': 'identity',
    connection: 'keep-alive',
    'content-length': '8',
    host: new URL(server.url).host,
  });
});

test('the connection of a complete answer is used again, although its end comes later', async () => {
  const ends: (() => void)[] = [];
  using server = await serve((response) => {
    response.writeHead(200).write('answer');
    ends.push(() => response.end('rest'));
  });
  const first = await post(requestTo(server.url));
  await first.read();
  first.discard();
  ends[0]?.();
  await vi.waitFor(async () => {
    const next = await post(requestTo(server.url));
    await next.read();
    next.close();
    expect(server.ports.at(-1)).toBe(server.ports[0]);
  });
});

test.each([
  ['longer than 64 KiB', 'x'.repeat(1024 * 1024)],
  ['that does not end in time', ''],
])('the connection of an answer with a rest %s is closed', async (_, rest) => {
  const closed = Promise.withResolvers<void>();
  using server = await serve((response) => {
    response.once('close', () => closed.resolve());
    response.writeHead(200).write(`answer${rest}`);
  });
  const response = await httpPost({ discardTimeoutMs: 20 })(requestTo(server.url));
  await response.read();
  response.discard();
  await expect(closed.promise).resolves.toBeUndefined();
});

test('a body is read no faster than its reader reads', async () => {
  const piece = Buffer.alloc(256 * 1024);
  let written = 0;
  const closed = Promise.withResolvers<void>();
  using server = await serve((response) => {
    response.once('close', () => closed.resolve());
    const fill = (): void => {
      while (written < 64 * 1024 * 1024) {
        written += piece.length;
        if (!response.write(piece)) return;
      }
    };
    response.on('drain', fill);
    fill();
  });
  const response = await post(requestTo(server.url));
  await response.read();
  let before = -1;
  // The buffers of the operating system fill up, then nothing moves.
  await vi.waitFor(() => {
    const moved = written - before;
    before = written;
    expect(moved).toBe(0);
  });
  expect(written).toBeLessThan(32 * 1024 * 1024);
  response.close();
  await closed.promise;
});

test('an abort closes the connection, before and during the answer', async () => {
  let closed = Promise.withResolvers<void>();
  let isSilent = true;
  using server = await serve((response) => {
    response.once('close', () => closed.resolve());
    if (!isSilent) response.writeHead(200).write('x');
  });
  const reason = new Error('no more');
  const before = new AbortController();
  const waiting = post(requestTo(server.url, { signal: before.signal }));
  await vi.waitFor(() => expect(server.bodies).toHaveLength(1));
  before.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await closed.promise;

  closed = Promise.withResolvers();
  isSilent = false;
  const during = new AbortController();
  const response = await post(requestTo(server.url, { signal: during.signal }));
  await response.read();
  const reading = response.read();
  during.abort(reason);
  await expect(reading).rejects.toMatchObject({ code: 'ECONNRESET' });
  await closed.promise;

  await expect(post(requestTo(server.url, { signal: during.signal }))).rejects.toBe(reason);
  expect(server.bodies).toHaveLength(2);
});

test.each([
  ['gzip', gzipSync('data: 1\n\n')],
  ['deflate', deflateSync('data: 1\n\n')],
  ['br', brotliCompressSync('data: 1\n\n')],
  ['identity', 'data: 1\n\n'],
])('a body with the coding %s is decoded', async (coding, body) => {
  using server = await serve((response) => {
    response.writeHead(200, { 'content-encoding': coding }).end(body);
  });
  expect(await textOf(await post(requestTo(server.url)))).toBe('data: 1\n\n');
});

test('a compressed body that is broken fails its reader', async () => {
  using server = await serve((response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('data: 1\n\n');
  });
  await expect(textOf(await post(requestTo(server.url)))).rejects.toThrow('incorrect header');
});

test('a body that breaks off fails its reader', async () => {
  using server = await serve((response) => {
    response.writeHead(200).write('x', () => response.destroy());
  });
  await expect(textOf(await post(requestTo(server.url)))).rejects.toMatchObject({
    code: 'ECONNRESET',
  });
});

test('a TLS handshake that takes too long ends the request', async () => {
  const silent = createTcpServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  await expect(httpPost({ connectTimeoutMs: 20 })(requestTo(url))).rejects.toMatchObject({
    code: 'ETIMEDOUT',
  });
  silent.close();
});
