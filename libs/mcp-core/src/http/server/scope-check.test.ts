import { describe, expect, test } from 'vitest';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import { createServer } from '../../server/create-server.ts';
import type { ServerOptions } from '../../server/server.ts';
import type { RequestAuthenticator } from './authentication.ts';
import { serve, toolOf, type HttpPeer } from './http-peer.test.support.ts';
import type { ServeHttpOptions } from './serve-http.ts';

const read = { ...toolOf('read', () => 'read'), scopes: ['notes:read'] };
const remove = { ...toolOf('remove', () => 'removed'), scopes: ['notes:write', 'notes:delete'] };
const open = toolOf('open', () => 'opened');

/** Serves three tools to senders whose scopes are in the header `x-scopes`; `none` means no limit. */
function serveTools(
  authenticator: Partial<RequestAuthenticator> = {},
  options: ServeHttpOptions = {},
  serverOptions: Partial<ServerOptions> = {},
): Promise<HttpPeer> {
  const authenticate = {
    requiredScopes: ['notes'],
    authenticate: ({ 'x-scopes': scopes }: { readonly [name: string]: unknown }) => ({
      auth: authOf(String(scopes)),
    }),
    ...authenticator,
  };
  return serve(
    { tools: [read, remove, open], ...serverOptions },
    { ...options, access: { authenticate } },
  );
}

function authOf(scopes: string): AuthContext {
  return { principal: 'ada', ...(scopes === 'none' ? {} : { scopes: scopes.split(' ') }) };
}

function challenge(scopes: string): string {
  return `Bearer error="insufficient_scope", scope="${scopes}"`;
}

describe('a modern call', () => {
  const call = async (name: string, scopes: string) => {
    const peer = await serveTools();
    return peer.exchange(peer.modern('tools/call', { name }, { headers: { 'x-scopes': scopes } }));
  };

  test.each([
    ['remove', 'notes', 'notes notes:write notes:delete'],
    ['remove', 'notes notes:write', 'notes notes:write notes:delete'],
    ['remove', 'notes:write notes:delete', 'notes notes:write notes:delete'],
    ['read', 'notes', 'notes notes:read'],
    ['open', 'other', 'notes'],
    ['unknown', 'other', 'notes'],
  ])('of %s with the scopes %s gets 403 and all of %s', async (name, scopes, needed) => {
    expect(await call(name, scopes)).toMatchObject({
      status: 403,
      headers: { 'www-authenticate': challenge(needed) },
    });
  });

  test.each([
    ['remove', 'notes notes:write notes:delete'],
    ['read', 'notes:read notes'],
    ['open', 'notes'],
    ['remove', 'none'],
  ])('of %s with the scopes %s runs', async (name, scopes) => {
    expect((await call(name, scopes)).json).toHaveProperty('result');
  });
});

test('every method needs the scopes of the server', async () => {
  const peer = await serveTools();
  const poor = { headers: { 'x-scopes': 'other' } };
  expect((await peer.exchange(peer.modern('tools/list', {}, poor))).status).toBe(403);
  for (const method of ['GET', 'DELETE'])
    expect(await peer.exchange({ method, ...poor })).toMatchObject({
      status: 403,
      headers: { 'www-authenticate': challenge('notes') },
    });
  expect((await peer.exchange({ method: 'DELETE', headers: { 'x-scopes': 'notes' } })).status).toBe(
    400,
  );
});

describe('a legacy call', () => {
  test('of a session needs the scopes of its own request', async () => {
    const peer = await serveTools();
    const session = await peer.initialize('2025-11-25', { headers: { 'x-scopes': 'notes' } });
    const call = (scopes: string) =>
      peer.exchange({
        headers: { ...session.headers, 'x-scopes': scopes },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read' } },
      });
    expect(await call('notes')).toMatchObject({
      status: 403,
      headers: { 'www-authenticate': challenge('notes notes:read') },
    });
    expect((await call('notes notes:read')).status).toBe(200);
  });

  test('in a batch needs the scopes of all calls', async () => {
    for (const sessions of [undefined, false] as const) {
      const peer = await serveTools({}, { sessions });
      const scopes = { 'x-scopes': 'notes' };
      const headers =
        sessions === false
          ? { ...scopes, 'mcp-protocol-version': '2025-03-26' }
          : (await peer.initialize('2025-03-26', { headers: scopes })).headers;
      const body = ['open', 'read', 'remove'].map((name, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name },
      }));
      expect(await peer.exchange({ headers, body })).toMatchObject({
        status: 403,
        headers: { 'www-authenticate': challenge('notes notes:read notes:write notes:delete') },
      });
      expect((await peer.exchange({ headers, body: body.slice(0, 1) })).status).toBe(200);
    }
  });

  test('over HTTP+SSE gets 403 on its own POST', async () => {
    const peer = await serveTools({}, { legacySse: true });
    const stream = (scopes: string) =>
      peer.send({ method: 'GET', path: '/sse', headers: { 'x-scopes': scopes } });
    expect((await stream('other')).status).toBe(403);
    const opened = await stream('notes');
    const [endpoint] = await events(opened);
    const post = async (scopes: string) =>
      (
        await peer.exchange({
          path: endpoint ?? '',
          headers: { 'x-scopes': scopes },
          body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read' } },
        })
      ).status;
    await expect(post('notes')).resolves.toBe(403);
    await expect(post('notes notes:read')).resolves.toBe(202);
    opened.destroy();
  });
});

test('a framework passes the scopes of the sender', async () => {
  const peer = await serveTools({ scopeChallenge: (scopes) => `Own scope="${scopes.join(' ')}"` });
  expect(
    await peer.exchange(
      peer.modern('tools/call', { name: 'read' }, { headers: { 'x-scopes': 'notes' } }),
    ),
  ).toMatchObject({ status: 403, headers: { 'www-authenticate': 'Own scope="notes notes:read"' } });
});

test('a middleware that calls another tool does not extend the rights of the sender', async () => {
  const redirect: ServerOptions['extensions'] = {
    middleware: [({ params }, next) => next(params.name === 'open' ? { name: 'read' } : params)],
  };
  const peer = await serveTools({}, {}, { extensions: redirect });
  const call = async (scopes: string) =>
    (
      await peer.exchange(
        peer.modern('tools/call', { name: 'open' }, { headers: { 'x-scopes': scopes } }),
      )
    ).json;
  expect(await call('notes')).toMatchObject({
    error: { code: -32600, message: 'Insufficient scope: read needs notes:read' },
  });
  expect(await call('notes notes:read')).toHaveProperty('result');
});

test('the scopes of a tool are not published', async () => {
  const peer = await serveTools();
  const { json } = await peer.exchange(
    peer.modern('tools/list', {}, { headers: { 'x-scopes': 'notes' } }),
  );
  expect(JSON.stringify(json)).not.toContain('scopes');
});

test('a scope that no token can have is refused at the start', () => {
  for (const scope of ['a b', '', 'a"b', 'ä'])
    expect(() =>
      createServer({ info: { name: 'test', version: '1' }, tools: [{ ...open, scopes: [scope] }] }),
    ).toThrow(`The scope ${JSON.stringify(scope)} of open`);
});

/** Resolves with the values of the first events of a stream. */
async function events(response: Awaited<ReturnType<HttpPeer['send']>>): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const check = (): void => {
    const found = response.events().map(({ data }) => data);
    if (found.length > 0) resolve(found);
  };
  response.incoming.on('data', check);
  check();
  return promise;
}
