import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  startAuthorizationServer,
  type AuthorizationServer,
  type Misbehavior,
} from '@signalbox/authorization-server';
import {
  AuthorizationError,
  createClientAuthorization,
  MemoryTokenStore,
  type ClientAuthorizationOptions,
} from '@signalbox/mcp-core/auth';
import { connectClient, type Client } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { protectedResource } from '@signalbox/mcp-core/http/protected-resource';
import { createHttpHandler } from '@signalbox/mcp-core/http/server';
import { createServer } from '@signalbox/mcp-core/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RequirementId } from '../requirements/index.ts';
import { proves, type Subject } from '../requirements/proves.ts';
import { CLIENT_INFO } from './message.ts';
import { serverOptions, tool } from './test-tools.ts';

const redirectUri = 'http://127.0.0.1:1/callback';
const SCOPES = ['read', 'write', 'extra'];

type Options = NonNullable<Parameters<typeof startAuthorizationServer>[0]>;

/** Starts an authorization server that stops with the test. */
async function authorizationServer(options: Options = {}): Promise<AuthorizationServer> {
  const server = await startAuthorizationServer({ scopes: SCOPES, ...options });
  onTestFinished(() => server.stop());
  return server;
}

/** A protected server with `read`, and `write`, which needs the scope of its name. */
interface Protected {
  readonly url: string;
  readonly requests: readonly IncomingMessage[];
  /** Accepts tokens of another authorization server from now on. */
  protect: (issuer: string) => void;
}

async function protectedServer(issuer: string): Promise<Protected> {
  const tools = [tool('read', () => 'read'), { ...tool('write', () => 'ok'), scopes: ['write'] }];
  const mcp = createServer(serverOptions({ tools }));
  const requests: IncomingMessage[] = [];
  let handler: ReturnType<typeof createHttpHandler>;
  const http = createHttpServer((request, response) => {
    if (request.url === '/mcp') requests.push(request);
    handler.handle(request, response);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const protect = (named: string): void => {
    handler = createHttpHandler(mcp, {
      access: {
        authenticate: protectedResource({ issuer: named, resource: url, scopes: ['read'] }),
      },
    });
  };
  protect(issuer);
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url, requests, protect };
}

/** Returns the token in the header of a request. */
function tokenIn({ authorization = '' }: IncomingMessage['headers']): string {
  return /^(?:Bearer|DPoP) (.+)$/u.exec(authorization)?.[1] ?? '';
}

/** Returns the error of the authorization, which is a cause of the error of a client. */
async function refusalOf(step: Promise<unknown>): Promise<unknown> {
  let error: unknown = await step.catch((reason: unknown) => reason);
  while (error instanceof Error && !(error instanceof AuthorizationError)) error = error.cause;
  return error;
}

/** The steps of a test in one era: the user consents, and the addresses that were opened are kept. */
class Host {
  readonly opened: URL[] = [];
  readonly store = new MemoryTokenStore();
  readonly #era: 'legacy' | 'modern';
  readonly #browse: (url: string) => Promise<string>;

  constructor(era: 'legacy' | 'modern', browse: (url: string) => Promise<string>) {
    this.#era = era;
    this.#browse = browse;
  }

  async connect(url: string, options: ClientAuthorizationOptions = {}): Promise<Client> {
    const authorization = createClientAuthorization({
      store: this.store,
      user: {
        redirectUri,
        authorize: (request) => {
          this.opened.push(new URL(request.url));
          return this.#browse(request.url);
        },
      },
      ...options,
    });
    const client = await connectClient(() => httpTransport({ url, authorization }), {
      info: CLIENT_INFO,
      era: this.#era,
    });
    onTestFinished(() => client.close());
    return client;
  }

  /** Values of a parameter in the addresses that the user opened. */
  asked(name: string): readonly (string | null)[] {
    return this.opened.map(({ searchParams }) => searchParams.get(name));
  }
}

describe.each(['legacy', 'modern'] as const)(
  'the authorization of a client, %s over HTTP,',
  (era) => {
    const subject: Subject = { side: 'client', era, wire: 'http' };
    const modern = <T extends string>(...ids: readonly T[]): readonly T[] =>
      era === 'modern' ? ids : [];
    const setUp = async (options: Options = {}) => {
      const server = await authorizationServer(options);
      const mcp = await protectedServer(server.issuer);
      return { server, mcp, host: new Host(era, (url) => server.browse(url)) };
    };

    test(
      'leads to tokens of the named authorization server, which are in the header of each request',
      proves(
        subject,
        'auth-client.header',
        'auth-client.resource-metadata',
        'auth-client.pkce',
        'auth-client.resource',
        ...modern('auth-client.application-type'),
      ),
      async () => {
        const { server, mcp, host } = await setUp();
        const client = await host.connect(mcp.url);
        const before = mcp.requests.length;
        await client.callTool('read', {});
        await client.callTool('read', {});
        const later = mcp.requests.slice(before);
        expect(later.length).toBeGreaterThan(1);
        for (const { headers, url } of later) {
          expect(server.findAccess(tokenIn(headers))?.claims['aud']).toBe(mcp.url);
          expect(url).toBe('/mcp');
        }
        expect(host.asked('resource')).toEqual([mcp.url]);
        expect(host.asked('code_challenge_method')).toEqual(['S256']);
        const [exchange] = server.requestsTo('token');
        expect(exchange?.form.get('resource')).toBe(mcp.url);
        expect(exchange?.form.get('code_verifier')).toMatch(/^[\w-]{43,}$/u);
        const [registered] = server.requestsTo('register');
        expect(JSON.parse(registered?.body ?? '{}')).toMatchObject({ application_type: 'native' });
      },
    );

    test(
      'looks for metadata at the well-known addresses in their order',
      proves(subject, 'auth-client.well-known', 'auth-client.metadata-order'),
      async () => {
        const paths: string[] = [];
        const server = await authorizationServer();
        const http = createHttpServer((request, response) => {
          const { url = '' } = request;
          if (request.method === 'GET') paths.push(url);
          const isRoot = url === '/.well-known/oauth-protected-resource';
          response.writeHead(isRoot ? 200 : request.method === 'GET' ? 404 : 401);
          const { origin } = new URL(address);
          response.end(
            JSON.stringify({ resource: address, authorization_servers: [`${origin}/t`] }),
          );
        });
        http.listen(0, '127.0.0.1');
        await once(http, 'listening');
        onTestFinished(() => void http.close());
        const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
        const host = new Host(era, (url) => server.browse(url));
        expect(await refusalOf(host.connect(address))).toMatchObject({ code: 'discovery-failed' });
        expect(paths).toEqual([
          '/.well-known/oauth-protected-resource/mcp',
          '/.well-known/oauth-protected-resource',
          '/.well-known/oauth-authorization-server/t',
          '/.well-known/openid-configuration/t',
          '/t/.well-known/openid-configuration',
        ]);
      },
    );

    test.each<[Misbehavior, string]>([
      ['no-pkce', 'discovery-failed'],
      ['plain-pkce', 'discovery-failed'],
    ])(
      'ends at a server with %s',
      proves(subject, 'auth-client.pkce-listed'),
      async (misbehavior, code) => {
        const { server, mcp, host } = await setUp();
        server.misbehave(misbehavior);
        expect(await refusalOf(host.connect(mcp.url))).toMatchObject({ code });
        expect(host.opened).toEqual([]);
      },
    );

    test.each<[Misbehavior, string]>([
      ['http-token-endpoint', 'address-refused'],
      ['script-authorization-endpoint', 'address-refused'],
    ])(
      'ends at a server with %s',
      proves(subject, 'auth-client.https'),
      async (misbehavior, code) => {
        const { server, mcp, host } = await setUp();
        server.misbehave(misbehavior);
        expect(await refusalOf(host.connect(mcp.url))).toMatchObject({ code });
        expect(host.opened).toEqual([]);
      },
    );

    test(
      'discards a redirect with another state',
      proves(subject, 'auth-client.state'),
      async () => {
        const { server, mcp, host } = await setUp();
        server.misbehave('redirect-with-other-state');
        expect(await refusalOf(host.connect(mcp.url))).toMatchObject({ code: 'redirect-invalid' });
        expect(server.requestsTo('token')).toEqual([]);
      },
    );

    test(
      'prefers a pre-registered client, then the metadata document, a registration and the user',
      proves(subject, 'auth-client.registration-order', 'auth-client.metadata-document'),
      async () => {
        const metadataUrl = 'https://host.example/client.json';
        const document = { client_id: metadataUrl, redirect_uris: [redirectUri] };
        const redirectUris = [redirectUri];
        const { server, mcp } = await setUp({
          clientDocuments: { [metadataUrl]: document },
          clients: [{ clientId: 'known', authMethod: 'none', redirectUris }],
        });
        const clients = [{ issuer: server.issuer, clientId: 'known' }];
        const ask = () => Promise.resolve({ clientId: 'known' });
        const used = async (registration: ClientAuthorizationOptions['registration']) => {
          const host = new Host(era, (url) => server.browse(url));
          await host.connect(mcp.url, { registration });
          return host.asked('client_id')[0];
        };
        expect(await used({ clients, metadataUrl, ask })).toBe('known');
        expect(await used({ metadataUrl, ask })).toBe(metadataUrl);
        expect(await used({ ask })).toMatch(/^client-/u);
        for (const wrong of ['http://host.example/client.json', 'https://host.example'])
          expect(() => createClientAuthorization({ registration: { metadataUrl: wrong } })).toThrow(
            'registration.metadataUrl',
          );
      },
    );

    test(
      'never sends the token of another authorization server',
      proves(subject, 'auth-client.own-tokens', ...modern('auth-client.own-credentials')),
      async () => {
        const [first, second] = [await authorizationServer(), await authorizationServer()];
        const mcp = await protectedServer(first.issuer);
        let current = first;
        const host = new Host(era, (url) => current.browse(url));
        await (await host.connect(mcp.url)).callTool('read', {});
        current = second;
        mcp.protect(second.issuer);
        const before = mcp.requests.length;
        await (await host.connect(mcp.url)).callTool('read', {});
        const tokens = mcp.requests
          .slice(before)
          .map(({ headers }) => tokenIn(headers))
          .filter((token) => token !== '');
        expect(tokens.length).toBeGreaterThan(0);
        expect(tokens.filter((token) => second.findAccess(token) === undefined)).toEqual([]);
        const [own] = host.asked('client_id');
        expect(second.requestsTo('register')).toHaveLength(1);
        expect(JSON.stringify(second.requests)).not.toContain(own);
      },
    );

    test(
      'requests the scopes of the challenge, and more when a tool needs them',
      proves(
        subject,
        'auth-client.scopes',
        'auth-client.step-up',
        ...modern('auth-client.step-up-union'),
      ),
      async () => {
        const { mcp, host } = await setUp();
        const client = await host.connect(mcp.url);
        expect(await client.callTool('write', {})).toMatchObject({ content: [{ text: 'ok' }] });
        expect(host.asked('scope')).toEqual(['read', 'read write']);
      },
    );

    test(
      'ends when the scopes are not granted',
      proves(subject, 'auth-client.retries'),
      async () => {
        const { server, mcp, host } = await setUp();
        server.decide({ scopes: ['read'] });
        const client = await host.connect(mcp.url);
        expect(await refusalOf(client.callTool('write', {}))).toMatchObject({
          code: 'token-refused',
        });
        expect(host.opened).toHaveLength(3);
      },
    );

    test(
      'needs a redirect URI that is localhost or https',
      proves(subject, 'auth-client.redirect-uri'),
      () => {
        const withUri = (uri: string) => () =>
          createClientAuthorization({ user: { redirectUri: uri } });
        for (const right of [
          'http://localhost:3000/a',
          'http://[::1]:1/',
          'https://host.example/a',
        ])
          expect(withUri(right)).not.toThrow();
        for (const wrong of ['http://host.example/', 'app:/callback', 'https://host.example/#a'])
          expect(withUri(wrong)).toThrow('redirectUri');
      },
    );
  },
);

describe('the authorization of a client, modern over HTTP,', () => {
  const subject: Subject = { side: 'client', era: 'modern', wire: 'http' };

  const refusals: readonly (readonly [Misbehavior, RequirementId])[] = [
    ['issuer-mismatch', 'auth-client.issuer'],
    ['issuer-slash', 'auth-client.issuer'],
    ['redirect-with-other-issuer', 'auth-client.iss'],
    ['redirect-without-issuer', 'auth-client.iss'],
    ['redirect-with-foreign-error', 'auth-client.iss-error'],
  ];
  for (const [misbehavior, rule] of refusals)
    test(`ends at a server with ${misbehavior}`, proves(subject, rule), async () => {
      const server = await authorizationServer();
      const mcp = await protectedServer(server.issuer);
      server.misbehave(misbehavior);
      const host = new Host('modern', (url) => server.browse(url));
      const error = await refusalOf(host.connect(mcp.url));
      const code = misbehavior.startsWith('issuer') ? 'metadata-mismatch' : 'redirect-invalid';
      expect(error).toMatchObject({ code });
      expect(String(error)).not.toContain('do-what-I-say');
      expect(server.requestsTo('token')).toEqual([]);
    });

  test(
    'works without refresh tokens',
    proves(subject, 'auth-client.no-refresh-token'),
    async () => {
      const metadataUrl = 'https://host.example/client.json';
      const document = {
        client_id: metadataUrl,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
      };
      const server = await authorizationServer({ clientDocuments: { [metadataUrl]: document } });
      const mcp = await protectedServer(server.issuer);
      const host = new Host('modern', (url) => server.browse(url));
      const client = await host.connect(mcp.url, { registration: { metadataUrl } });
      await client.callTool('read', {});
      const key = { issuer: server.issuer, resource: mcp.url, principal: '' };
      expect((await host.store.readTokens(key))?.refreshToken).toBeUndefined();
    },
  );
});

test(
  'a client of a server without metadata uses the default paths of its origin, legacy over HTTP',
  proves({ side: 'client', era: 'legacy', wire: 'http' }, 'auth-client.default-paths'),
  async () => {
    const server = await authorizationServer({ documents: [] });
    // It is its own authorization server of 2025-03-26, which sends no iss.
    server.misbehave('redirect-without-issuer');
    const mcp = createServer(serverOptions({ tools: [tool('read', () => 'read')] }));
    const paths: string[] = [];
    const handler = createHttpHandler(mcp, {
      access: {
        authenticate: ({ authorization }) =>
          server.findAccess(String(authorization).replace('Bearer ', '')) === undefined
            ? { refused: 401 }
            : { auth: { principal: 'user' } },
      },
    });
    const http = createHttpServer((request, response) => {
      if (request.url === '/mcp') handler.handle(request, response);
      else void forward(request, server.origin).then((sent) => sent(response));
      paths.push(new URL(request.url ?? '', server.origin).pathname);
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const client = await new Host('legacy', (address) => server.browse(address)).connect(url);
    expect(await client.callTool('read', {})).toMatchObject({ content: [{ text: 'read' }] });
    expect(paths.filter((path) => path !== '/mcp')).toEqual([
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/register',
      '/authorize',
      '/token',
    ]);
  },
);

/** Sends a request to another origin. Returns a function that sends its answer. */
async function forward(request: IncomingMessage, origin: string) {
  const path = request.url ?? '';
  const isWellKnown = path.startsWith('/.well-known/');
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { 'content-type': type = 'text/plain', authorization = '' } = request.headers;
  const answer = await fetch(`${origin}${path}`, {
    method: request.method ?? 'GET',
    redirect: 'manual',
    headers: { 'content-type': type, authorization },
    ...(body === '' ? {} : { body }),
  });
  const text = await answer.text();
  const location = answer.headers.get('location');
  return (response: ServerResponse): void => {
    response.writeHead(isWellKnown ? 404 : answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
      ...(location === null ? {} : { location }),
    });
    response.end(isWellKnown ? '' : text);
  };
}
