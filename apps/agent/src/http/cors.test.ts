import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestEdge, type TestEdge } from './testing.ts';

const PAGE = 'https://console.example';

let edge: TestEdge;
let url: string;

async function start(allowedOrigins?: readonly string[]): Promise<void> {
  edge = await createTestEdge({ keys: [{ name: 'default', token: 'right' }], allowedOrigins });
  url = await edge.app.listen({ host: '127.0.0.1', port: 0 });
}

beforeEach(() => start([PAGE, 'http://localhost:5173']));
afterEach(() => edge.close());

interface Sent {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

const send = (path: string, { headers, ...init }: Sent = {}) =>
  fetch(`${url}${path}`, {
    ...init,
    headers: { authorization: 'Bearer right', origin: PAGE, ...headers },
  });

const preflight = (path: string, origin: string) =>
  fetch(`${url}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });

const allowed = ({ headers }: Response) => headers.get('access-control-allow-origin');

describe('a page of an allowed origin', () => {
  test('may read responses, also problems', async () => {
    const listed = await send('/v1/runs');
    expect([listed.status, allowed(listed), listed.headers.get('vary')]).toEqual([
      200,
      PAGE,
      'origin',
    ]);
    expect(listed.headers.get('access-control-expose-headers')?.split(', ')).toEqual(
      expect.arrayContaining(['etag', 'location', 'retry-after', 'x-request-id']),
    );
    expect(listed.headers.has('access-control-allow-credentials')).toBe(false);
    const missing = await send('/v1/runs/none');
    expect([missing.status, allowed(missing)]).toEqual([404, PAGE]);
    const other = await send('/v1/runs', { headers: { origin: 'http://localhost:5173' } });
    expect(allowed(other)).toBe('http://localhost:5173');
  });

  test('needs the token, and may read that it does', async () => {
    const response = await send('/v1/runs', { headers: { authorization: 'Bearer wrong' } });
    expect([response.status, allowed(response)]).toEqual([401, PAGE]);
  });

  test('may change something, and is asked for JSON as any client', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const body = JSON.stringify({ title: 'One' });
    const created = await send('/v1/threads', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    expect([created.status, allowed(created)]).toEqual([201, PAGE]);
    expect((await send('/v1/threads', { method: 'POST', headers, body })).status).toBe(415);
  });

  test('may read an event stream', async () => {
    const started = await send('/v1/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'go' }),
    });
    const location = started.headers.get('location');
    const stream = await send(`${location}/events`, { headers: { accept: 'text/event-stream' } });
    expect([stream.headers.get('content-type'), allowed(stream)]).toEqual([
      'text/event-stream; charset=utf-8',
      PAGE,
    ]);
    await stream.body?.cancel();
  });

  test.each(['/v1/runs', '/v1/runs/some/events', '/no/such/path'])(
    'is told before a request to %s what it may send, without a token',
    async (path) => {
      const response = await preflight(path, PAGE);
      expect([response.status, allowed(response)]).toEqual([204, PAGE]);
      expect(response.headers.get('access-control-allow-methods')).toContain('POST');
      expect(response.headers.get('access-control-allow-headers')?.split(', ')).toEqual(
        expect.arrayContaining(['authorization', 'idempotency-key', 'last-event-id', 'prefer']),
      );
      expect(response.headers.get('access-control-max-age')).toBe('7200');
    },
  );

  test('and any other method than the questions of browsers are treated as before', async () => {
    const response = await send('/v1/runs', { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('a page of another origin', () => {
  test.each([
    'https://evil.example',
    'https://console.example.evil.example',
    'http://console.example',
    'https://console.example:8443',
    'null',
  ])('%s is refused, also before a request', async (origin) => {
    const refused = [
      await send('/v1/runs', { headers: { origin } }),
      await preflight('/v1/runs', origin),
    ];
    for (const response of refused) {
      expect(response.status).toBe(403);
      expect(allowed(response)).toBeNull();
    }
  });

  test('that is allowed by nothing is refused, and responses name no origin', async () => {
    await edge.close();
    await start();
    const response = await send('/v1/runs');
    expect([response.status, allowed(response), response.headers.get('vary')]).toEqual([
      403,
      null,
      null,
    ]);
    expect((await preflight('/v1/runs', PAGE)).status).toBe(403);
  });
});

test('a client without an origin is served as before, and caches know that responses differ', async () => {
  const response = await fetch(`${url}/v1/runs`, { headers: { authorization: 'Bearer right' } });
  expect([response.status, allowed(response), response.headers.get('vary')]).toEqual([
    200,
    null,
    'origin',
  ]);
});
