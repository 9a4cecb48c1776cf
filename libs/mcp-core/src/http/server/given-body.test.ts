import { createServer as createNodeServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../server/create-server.ts';
import { createHttpHandler } from './create-http-handler.ts';
import type { HttpHandler } from './http-handler.ts';
import { ACCEPT_BOTH, echo } from './http-peer.test.support.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

function openHandler(maxBodyBytes = 1000, maxRequestBytes?: number): HttpHandler {
  const handler = createHttpHandler(
    createServer({ info: { name: 'test', version: '1' }, tools: [echo] }),
    {
      sessions: false,
      limits: { maxBodyBytes, ...(maxRequestBytes === undefined ? {} : { maxRequestBytes }) },
    },
  );
  onTestFinished(() => handler.close());
  return handler;
}

/** Listens with a handler that gets this body instead of the body of the request. */
async function listen(handler: HttpHandler, body: unknown): Promise<string> {
  const listener = createNodeServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('x-framework', 'yes');
      handler.handle(request, response, { body });
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    listener.close();
    listener.closeAllConnections();
  });
  return `http://127.0.0.1:${String((listener.address() as AddressInfo).port)}/`;
}

test('a body that was read before and is not given is an error at once', async () => {
  const response = await fetch(await listen(openHandler(), undefined), {
    ...post,
    body: JSON.stringify(PING),
    signal: AbortSignal.timeout(2000),
  });
  expect(response.status).toBe(400);
});

const post = {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: ACCEPT_BOTH },
};

test.each([
  ['parsed JSON', PING],
  ['text', JSON.stringify(PING)],
  ['bytes', Buffer.from(JSON.stringify(PING))],
  ['an ArrayBuffer', Uint8Array.from(Buffer.from(JSON.stringify(PING))).buffer],
])(
  'a body that a framework has read as %s is served, and its headers are kept',
  async (_n, body) => {
    const handler = openHandler();
    const response = await fetch(await listen(handler, body), { ...post, body: 'unused' });
    expect(response.headers.get('x-framework')).toBe('yes');
    await expect(response.json()).resolves.toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    const web = await handler.fetch(new Request('http://localhost/', { ...post }), { body });
    await expect(web.json()).resolves.toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  },
);

test.each([
  ['text', JSON.stringify(PING), 401],
  ['bytes', Buffer.from(JSON.stringify(PING)), 401],
  ['an ArrayBuffer', Uint8Array.from(Buffer.from(JSON.stringify(PING))).buffer, 401],
  ['parsed JSON, whose bytes are unknown', PING, 200],
])('the authentication may refuse a body that was read as %s', async (_n, body, status) => {
  const seen: string[] = [];
  const handler = createHttpHandler(createServer({ info: { name: 'test', version: '1' } }), {
    sessions: false,
    access: {
      authenticate: () => ({
        checkBody: (bytes) => {
          seen.push(Buffer.from(bytes).toString());
          return { refused: 401, challenge: 'DPoP error="invalid_dpop_proof"' };
        },
      }),
    },
  });
  onTestFinished(() => handler.close());
  const response = await fetch(await listen(handler, body), { ...post, body: 'unused' });
  const web = await handler.fetch(new Request('http://localhost/', { ...post }), { body });
  const sent = new Request('http://localhost/', { ...post, body: JSON.stringify(PING) });
  expect([response.status, web.status]).toEqual([status, status]);
  expect((await handler.fetch(sent)).headers.get('www-authenticate')).toContain('invalid_dpop');
  expect(new Set(seen)).toEqual(new Set([JSON.stringify(PING)]));
});

test('a parsed body that cannot be serialized is an error, and nothing throws', async () => {
  const handler = openHandler();
  const body: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
  const response = await fetch(await listen(handler, body), {
    ...post,
    body: 'unused',
    signal: AbortSignal.timeout(2000),
  });
  expect(response.status).toBe(400);
  const web = await handler.fetch(new Request('http://localhost/', { ...post }), { body });
  expect(web.status).toBe(400);
});

test('a body that was read before has the same limit and the same errors', async () => {
  const handler = openHandler(100);
  const statusOf = async (body: unknown) =>
    (await fetch(await listen(handler, body), { ...post, body: '' })).status;
  await expect(statusOf({ ...PING, padding: 'x'.repeat(100) })).resolves.toBe(413);
  await expect(statusOf('{')).resolves.toBe(400);
  await expect(statusOf({})).resolves.toBe(400);
});

test('a body that was read before counts among the requests that arrive', async () => {
  const handler = openHandler(1000, 100);
  const statusOf = async (body: unknown) =>
    (await fetch(await listen(handler, body), { ...post, body: '' })).status;
  await expect(statusOf(PING)).resolves.toBe(200);
  await expect(statusOf({ ...PING, padding: 'x'.repeat(100) })).resolves.toBe(503);
  await expect(statusOf(PING)).resolves.toBe(200);
  const web = { body: { ...PING, padding: 'x'.repeat(100) } };
  const response = await handler.fetch(new Request('http://localhost/', { ...post }), web);
  expect(response.status).toBe(503);
  expect(handler.stats().requestBytes).toBe(0);
});
