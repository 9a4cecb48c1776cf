import { createServer as createNodeServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../server/create-server.ts';
import { createHttpHandler } from './create-http-handler.ts';
import type { HttpAccessOptions } from './http-handler.ts';
import { ACCEPT_BOTH, echo, HttpPeer } from './http-peer.test.support.ts';
import { serveHttp } from './serve-http.ts';

const PAGE = 'https://app.example';

interface Request {
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: unknown;
}

interface Response {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
}

type Face = (access: HttpAccessOptions) => Promise<(request: Request) => Promise<Response>>;

const nodeFace: Face = async (access) => {
  const server = createServer({ info: { name: 'test', version: '1' }, tools: [echo] });
  const listener = await serveHttp(server, { access });
  onTestFinished(() => listener.close());
  const peer = new HttpPeer(server, listener);
  return async (request) => {
    const { status, headers } = await peer.exchange(request);
    return { status, header: (name) => headers[name]?.toString() };
  };
};

const webFace: Face = (access) => {
  const server = createServer({ info: { name: 'test', version: '1' }, tools: [echo] });
  const handler = createHttpHandler(server, { access });
  onTestFinished(() => handler.close());
  return Promise.resolve(async ({ method, headers, body }) => {
    const response = await handler.fetch(
      new Request('http://localhost:3000/mcp', {
        method,
        headers: { 'content-type': 'application/json', accept: ACCEPT_BOTH, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    await response.body?.cancel();
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
    };
  });
};

const preflight = (origin: string, headers: { readonly [name: string]: string } = {}): Request => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'POST', ...headers },
});

const initialize = (origin: string): Request => ({
  method: 'POST',
  headers: { origin },
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'page', version: '1' },
    },
  },
});

describe.each([
  ['node:http', nodeFace],
  ['fetch', webFace],
])('CORS over %s', (_name, open) => {
  test('answers the preflight request of an allowed origin without authentication', async () => {
    const send = await open({ allowedOrigins: [PAGE], bearerToken: 'secret' });
    const { status, header } = await send(
      preflight(PAGE, {
        'access-control-request-headers': 'mcp-param-region, mcp-param-(), x-other',
      }),
    );
    expect(status).toBe(204);
    expect(header('access-control-allow-origin')).toBe(PAGE);
    expect(header('access-control-allow-methods')).toBe('GET, POST, DELETE');
    expect(header('access-control-allow-headers')?.toLowerCase().split(', ')).toEqual([
      'accept',
      'authorization',
      'content-type',
      'dpop',
      'last-event-id',
      'mcp-method',
      'mcp-name',
      'mcp-protocol-version',
      'mcp-session-id',
      'mcp-param-region',
    ]);
    expect(header('access-control-max-age')).toBe('7200');
    expect(header('access-control-allow-credentials')).toBeUndefined();
    expect(header('vary')).toBe('Origin');
  });

  test('lets the page of an allowed origin read responses and errors', async () => {
    const send = await open({ allowedOrigins: [PAGE] });
    const opened = await send(initialize(PAGE));
    expect(opened.status).toBe(200);
    expect(opened.header('mcp-session-id')).toBeDefined();
    const refused = await send({ method: 'POST', headers: { origin: PAGE }, body: 'no request' });
    expect(refused.status).toBe(400);
    for (const { header } of [opened, refused]) {
      expect(header('access-control-allow-origin')).toBe(PAGE);
      expect(header('access-control-expose-headers')).toBe(
        'Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce, Retry-After',
      );
      expect(header('vary')).toBe('Origin');
    }
  });

  test('lets the page read the challenge of a request without its token', async () => {
    const send = await open({ allowedOrigins: 'any', bearerToken: 'secret' });
    const { status, header } = await send(initialize('https://any.example'));
    expect([status, header('access-control-allow-origin')]).toEqual([401, 'https://any.example']);
    expect(header('access-control-expose-headers')).toContain('WWW-Authenticate');
  });

  test('sends no fields to an origin that is not allowed, or not listed', async () => {
    const send = await open({ allowedOrigins: [PAGE] });
    for (const [request, expected] of [
      [preflight('https://evil.example'), 403],
      [initialize('https://evil.example'), 403],
      [preflight('null'), 403],
      [preflight('http://localhost:8080'), 405],
      [initialize('http://localhost:8080'), 200],
    ] as const) {
      const { status, header } = await send(request);
      expect(status).toBe(expected);
      expect(header('access-control-allow-origin')).toBeUndefined();
      expect(header('access-control-allow-headers')).toBeUndefined();
      expect(header('vary')).toBe('Origin');
    }
  });

  test('sends no fields when the host is not allowed', async () => {
    const send = await open({ allowedOrigins: [PAGE], allowedHosts: ['mcp.example'] });
    for (const request of [preflight(PAGE), initialize(PAGE)]) {
      const { status, header } = await send(request);
      expect(status).toBe(403);
      for (const name of ['access-control-allow-origin', 'access-control-expose-headers', 'vary'])
        expect(header(name)).toBeUndefined();
    }
  });

  test('is off without allowed origins', async () => {
    const send = await open({});
    const answered = await send(preflight('http://localhost:8080'));
    expect(answered.status).toBe(405);
    const opened = await send(initialize('http://localhost:8080'));
    for (const { header } of [answered, opened]) {
      expect(header('access-control-allow-origin')).toBeUndefined();
      expect(header('vary')).toBeUndefined();
    }
  });
});

test('Vary of a framework is kept beside Vary of CORS', async () => {
  const server = createServer({ info: { name: 'test', version: '1' }, tools: [echo] });
  const handler = createHttpHandler(server, { access: { allowedOrigins: [PAGE] } });
  const listener = createNodeServer((request, response) => {
    response.setHeader('vary', 'Accept-Encoding');
    handler.handle(request, response);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    listener.close();
    await handler.close();
  });
  const { port } = listener.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${String(port)}/`, { method: 'PUT' });
  expect(headers.get('vary')).toBe('Accept-Encoding, Origin');
});
