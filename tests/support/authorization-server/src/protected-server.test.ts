import {
  beginLogin,
  createClientAuthorization,
  finishLogin,
  loginRequestOf,
  MemoryTokenStore,
  type LoginRequest,
} from '@signalbox/mcp-core/auth';
import { connectClient, type Client } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import {
  protectedResource,
  type ProtectedResourceOptions,
} from '@signalbox/mcp-core/http/protected-resource';
import { createHttpHandler } from '@signalbox/mcp-core/http/server';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AuthorizationServer } from './authorization-server.ts';
import { redirectUri, serve } from './client.test.support.ts';

const toolOf = (name: string, scopes: readonly string[]) =>
  defineTool({
    name,
    description: `Needs ${scopes.join(' ')}.`,
    inputSchema: { type: 'object', properties: {} },
    scopes,
    handler: (_args, { auth }) => ({
      content: [{ type: 'text', text: `${auth?.principal} ${auth?.scopes?.join(' ')}` }],
    }),
  });

/** A protected MCP server, which can be protected differently later. */
interface ProtectedServer {
  readonly url: string;
  readonly statuses: number[];
  protect: (options: Omit<ProtectedResourceOptions, 'resource'>) => void;
}

async function protectedServer(): Promise<ProtectedServer> {
  const mcp = createServer({
    info: { name: 'protected', version: '1' },
    tools: [toolOf('read', ['read']), toolOf('write', ['write', 'audit'])],
  });
  const statuses: number[] = [];
  let handler = createHttpHandler(mcp, { access: {} });
  const http = createHttpServer((request, response) => {
    response.once('finish', () => {
      if (request.url === '/mcp') statuses.push(response.statusCode);
    });
    handler.handle(request, response);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    await handler.close();
  });
  return {
    url,
    statuses,
    protect: (options) => {
      handler = createHttpHandler(mcp, {
        access: { authenticate: protectedResource({ resource: url, ...options }) },
      });
    },
  };
}

/** A host whose user logs in whenever a call needs it, in a flow apart from the call. */
class Host {
  readonly logins: LoginRequest[] = [];
  readonly store = new MemoryTokenStore();
  readonly #url: string;
  readonly #server: () => AuthorizationServer;

  constructor(url: string, server: () => AuthorizationServer) {
    this.#url = url;
    this.#server = server;
  }

  /** Connects a new client, as after a restart. */
  connect(): Promise<Client> {
    const url = this.#url;
    const authorization = createClientAuthorization({ store: this.store, user: { redirectUri } });
    return this.retrying(async () => {
      const client = await connectClient(() => httpTransport({ url, authorization }), {
        info: { name: 'host', version: '1' },
      });
      onTestFinished(() => client.close());
      return client;
    });
  }

  async retrying<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      const login = loginRequestOf(error);
      if (login === undefined) throw error;
      this.logins.push(login);
      const options = { store: this.store, redirectUri };
      const { url, pending } = await beginLogin(login, options);
      await finishLogin(pending, await this.#server().browse(url), options);
      return step();
    }
  }

  call(client: Client, name: string): Promise<unknown> {
    return this.retrying(() => client.callTool(name, {}));
  }
}

describe.each<[string, ProtectedResourceOptions['dpop']]>([
  ['bearer tokens', undefined],
  ['bound tokens', { isRequired: true }],
  ['bound tokens and nonces', { isRequired: true, needsNonce: true }],
])('a protected server with %s', (_what, dpop) => {
  const setUp = async () => {
    const server = await serve({ dpop: { needsNonce: dpop?.needsNonce } });
    const mcp = await protectedServer();
    mcp.protect({ issuer: server.issuer, scopes: ['read'], dpop });
    return { server, mcp, host: new Host(mcp.url, () => server) };
  };

  test('is called after a login, and after a restart without another', async () => {
    const { mcp, host } = await setUp();
    const client = await host.connect();
    expect(await host.call(client, 'read')).toMatchObject({ content: [{ text: 'user read' }] });
    expect(host.logins).toMatchObject([{ reason: 'no-tokens', scopes: ['read'] }]);
    mcp.statuses.length = 0;
    await client.callTool('read', {});
    await client.callTool('read', {});
    expect(mcp.statuses).toEqual([200, 200]);

    const again = await host.connect();
    await host.call(again, 'read');
    expect(host.logins).toHaveLength(1);
  });

  test('steps up once to all scopes of a tool, which also the first client then uses', async () => {
    const { host } = await setUp();
    const client = await host.connect();
    const other = await host.connect();
    expect(await host.call(client, 'write')).toMatchObject({
      content: [{ text: 'user read write audit' }],
    });
    await host.call(other, 'write');
    expect(host.logins).toMatchObject([
      { reason: 'no-tokens' },
      {
        reason: 'insufficient-scope',
        challengedScopes: expect.arrayContaining(['write', 'audit']) as string[],
      },
    ]);
  });
});

test('a proof is accepted for the body that it was made for, and for no other', async () => {
  const server = await serve();
  const mcp = await protectedServer();
  mcp.protect({ issuer: server.issuer, scopes: ['read'], dpop: { isRequired: true } });
  const host = new Host(mcp.url, () => server);
  await host.connect();
  const { url } = mcp;
  const authorization = createClientAuthorization({ store: host.store, user: { redirectUri } });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const request = { server: url, url, method: 'POST', body } as const;
  await authorization.refused({
    ...request,
    status: 401,
    sent: {},
    attempt: 0,
    responseHeaders: (await challengeOf(url)) ?? {},
  });
  const send = async (sent: string) => {
    const headers = new Headers({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });
    for (const [name, value] of Object.entries(await authorization.headers(request)))
      headers.set(name, value);
    return fetch(url, { method: 'POST', headers, body: sent });
  };
  const refused = await send(body.replace('ping', 'pong'));
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toContain(
    'error="invalid_dpop_proof", error_description="The DPoP proof is for another body"',
  );
  expect((await send(body)).status).not.toBe(401);
});

/** Returns the challenge of a server to a request without a token. */
async function challengeOf(url: string) {
  const response = await fetch(url, { method: 'POST' });
  const value = response.headers.get('www-authenticate');
  return value === null ? undefined : { 'www-authenticate': value };
}

test('a server that moves to another authorization server needs a login there, and gets no old token', async () => {
  const [first, second] = [await serve(), await serve()];
  const mcp = await protectedServer();
  mcp.protect({ issuer: first.issuer, scopes: ['read'] });
  let current = first;
  const host = new Host(mcp.url, () => current);
  const client = await host.connect();
  await host.call(client, 'read');

  current = second;
  mcp.protect({ issuer: second.issuer, scopes: ['read'] });
  const before = first.requests.length;
  await host.call(client, 'read');
  expect(host.logins.map(({ issuer, reason }) => [issuer, reason])).toEqual([
    [first.issuer, 'no-tokens'],
    [second.issuer, 'no-tokens'],
  ]);
  expect(first.requests).toHaveLength(before);
  const clients = second.requestsTo('token').map(({ form }) => form.get('client_id'));
  expect(clients).not.toContain(first.requestsTo('token')[0]?.form.get('client_id'));
});

test('a server that asks the authorization server about tokens refuses a revoked one', async () => {
  const known = { clientId: 'rs', clientSecret: 'secret', redirectUris: [] };
  const server = await serve({ clients: [{ ...known, authMethod: 'client_secret_basic' }] });
  const mcp = await protectedServer();
  const introspection = { clientId: 'rs', clientSecret: 'secret' };
  mcp.protect({ issuer: server.issuer, scopes: ['read'], introspection });
  const host = new Host(mcp.url, () => server);
  await host.call(await host.connect(), 'read');
  server.revokeAll();
  mcp.protect({ issuer: server.issuer, scopes: ['read'], introspection });
  await host.call(await host.connect(), 'read');
  expect(host.logins.map(({ reason }) => reason)).toEqual(['no-tokens', 'refresh-refused']);
});
