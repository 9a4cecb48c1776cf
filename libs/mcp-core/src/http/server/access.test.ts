import { request as httpRequest } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createServer } from '../../server/create-server.ts';
import { createHttpHandler } from './create-http-handler.ts';
import { type HttpPeer, serve } from './http-peer.test.support.ts';
import { serveHttp } from './serve-http.ts';

describe('pages of other sites are refused', () => {
  const statusOf = async (peer: HttpPeer, headers: { [name: string]: string }) =>
    (await peer.exchange(peer.modern('server/discover', {}, { headers }))).status;

  test('unless they use the names of this machine, by default', async () => {
    const peer = await serve();
    const port = String(peer.listener.port);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '0.0.0.0',
    ])
      await expect(statusOf(peer, { host })).resolves.toBe(403);
    for (const host of [
      'localhost',
      `LOCALHOST:${port}`,
      `127.0.0.1:${port}`,
      `[::1]:${port}`,
      '[::1]',
    ])
      await expect(statusOf(peer, { host })).resolves.toBe(200);
    for (const origin of [
      'http://evil.example',
      'null',
      'http://localhost.evil.example',
      'http://localhost@evil.example',
      'file://',
      'http://127.0.0.1/path',
    ])
      await expect(statusOf(peer, { origin })).resolves.toBe(403);
    for (const origin of [
      'http://localhost',
      'http://localhost:6274',
      'https://127.0.0.1:8080',
      'http://[::1]:80',
    ])
      await expect(statusOf(peer, { origin })).resolves.toBe(200);
  });

  test('unless they use the configured names', async () => {
    const peer = await serve(
      {},
      { access: { allowedHosts: ['mcp.example'], allowedOrigins: ['https://App.example'] } },
    );
    await expect(
      statusOf(peer, { host: 'MCP.example:443', origin: 'https://app.EXAMPLE' }),
    ).resolves.toBe(200);
    await expect(statusOf(peer, { host: '127.0.0.1' })).resolves.toBe(403);
    await expect(statusOf(peer, { host: 'mcp.example', origin: 'http://localhost' })).resolves.toBe(
      403,
    );
  });

  test.each([
    ['https://app.example/', 'Pass "https://app.example"'],
    ['https://app.example/path', 'Pass "https://app.example"'],
    ['https://app.example:443', 'Pass "https://app.example"'],
    ['app.example', 'Pass a scheme and a host'],
    ['*', 'Pass a scheme and a host, such as "https://app.example", or "any"'],
  ])('and the origin %s, which no browser sends, is refused at the start', (origin, advice) => {
    const server = createServer({ info: { name: 'test', version: '1' } });
    const allowedOrigins = ['https://ok.example', origin];
    const start = () => createHttpHandler(server, { access: { allowedOrigins } });
    expect(start).toThrow(`${JSON.stringify(origin)} never equals the Origin of a request`);
    expect(start).toThrow(advice);
  });

  test('and origins of all kinds that browsers send are accepted at the start', () => {
    const server = createServer({ info: { name: 'test', version: '1' } });
    const allowedOrigins = [
      'https://App.example',
      'http://localhost:8080',
      'http://[::1]:80',
      'chrome-extension://abc',
      'null',
    ];
    // Port 80 is the default of http.
    expect(() =>
      createHttpHandler(server, { access: { allowedOrigins: allowedOrigins.toSpliced(2, 1) } }),
    ).not.toThrow();
    expect(() => createHttpHandler(server, { access: { allowedOrigins } })).toThrow(
      'Pass "http://[::1]"',
    );
  });

  test.each(['mcp.example:8080', 'https://mcp.example', 'mcp.example/', '::1', ''])(
    'and the host %j, which no request has, is refused at the start',
    (host) => {
      const server = createServer({ info: { name: 'test', version: '1' } });
      expect(() => createHttpHandler(server, { access: { allowedHosts: [host] } })).toThrow(
        `${JSON.stringify(host)} never equals the host name of a request`,
      );
    },
  );

  test('on every method, before anything else', async () => {
    const peer = await serve({}, { access: { bearerToken: 'secret' } });
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST'])
      expect(
        (await peer.exchange({ method, headers: { origin: 'https://evil.example' } })).status,
      ).toBe(403);
  });

  test('beyond loopback by their origin, whatever the host', async () => {
    const server = createServer({ info: { name: 'test', version: '1' } });
    const listener = await serveHttp(server, { host: '0.0.0.0' });
    onTestFinished(() => listener.close());
    const post = (headers: { [name: string]: string }) =>
      new Promise<number | undefined>((resolve, reject) => {
        const request = httpRequest(
          { host: '127.0.0.1', port: listener.port, path: '/mcp', method: 'PUT', headers },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        );
        request.on('error', reject);
        request.end();
      });
    await expect(post({ host: 'my.machine' })).resolves.toBe(405);
    await expect(post({ host: 'my.machine', origin: 'http://my.machine' })).resolves.toBe(403);
  });
});

describe('authentication', () => {
  test('accepts a request with a token', async () => {
    const peer = await serve({}, { access: { bearerToken: ['one', 'two'] } });
    const send = (authorization?: string) =>
      peer.exchange(peer.modern('server/discover', {}, { headers: { authorization } }));
    for (const authorization of ['Bearer one', 'bearer  two'])
      expect((await send(authorization)).status).toBe(200);
    for (const authorization of [
      undefined,
      'Bearer',
      'Bearer on',
      'Bearer onee',
      'Basic one',
      'one',
    ]) {
      expect(await send(authorization)).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': expect.stringMatching(/^Bearer/u) as unknown },
      });
    }
  });

  test('gives each token its principal', async () => {
    const principals: unknown[] = [];
    const peer = await serve(
      {
        extensions: {
          middleware: [
            ({ context }, next) => {
              principals.push(context.auth?.principal);
              return next();
            },
          ],
        },
      },
      { access: { bearerToken: { ada: ['one', 'new'], build: 'two' } } },
    );
    for (const token of ['one', 'two', 'new', 'three'])
      await peer.exchange(
        peer.modern('server/discover', {}, { headers: { authorization: `Bearer ${token}` } }),
      );
    expect(principals).toEqual(['ada', 'build', 'ada']);
  });

  test('refuses a token that two principals have', () => {
    const server = createServer({ info: { name: 'test', version: '1' } });
    expect(() =>
      createHttpHandler(server, { access: { bearerToken: { ada: 'one', build: ['two', 'one'] } } }),
    ).toThrow('Two principals have the same bearer token');
  });

  test('accepts the requests that authenticate accepts', async () => {
    const challenge = 'Bearer error="insufficient_scope", scope="files:write"';
    const onError = vi.fn<(error: unknown) => void>();
    const peer = await serve(
      {},
      {
        onError,
        access: {
          authenticate: async ({ authorization }) => {
            await Promise.resolve();
            if (authorization === 'throw') throw new Error('the key server is down');
            return authorization === 'good'
              ? { auth: { principal: 'ada' } }
              : { refused: 403, challenge };
          },
        },
      },
    );
    const send = (authorization: string) =>
      peer.exchange(peer.modern('server/discover', {}, { headers: { authorization } }));
    expect((await send('good')).status).toBe(200);
    expect(await send('bad')).toMatchObject({
      status: 403,
      headers: { 'www-authenticate': challenge },
    });
    expect((await send('throw')).status).toBe(500);
    expect(onError).toHaveBeenCalledOnce();
  });

  test('rejects a token that a header cannot carry', () => {
    const server = createServer({ info: { name: 'test', version: '1' } });
    for (const bearerToken of ['', [], ['a', '']])
      expect(() => createHttpHandler(server, { access: { bearerToken } })).toThrow(
        'A bearer token has one or more of',
      );
  });
});
