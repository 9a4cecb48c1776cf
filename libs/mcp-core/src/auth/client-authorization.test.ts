import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  authorizedAt,
  metadataOf,
  scriptedAuthorizationServer,
  TOKENS,
  type Arrival,
} from './authorization-server.test.support.ts';
import { createClientAuthorization } from './client-authorization.ts';
import { MemoryTokenStore } from './token-store.ts';

const PRM = '/.well-known/oauth-protected-resource/mcp';
const METADATA = '/.well-known/oauth-authorization-server';

test('a 401 leads to a token: discovery, registration, PKCE, state, resource and scopes', async () => {
  const server = await scriptedAuthorizationServer();
  const { refuse, headers, opened } = authorizedAt(server);
  expect(await headers()).toEqual({});

  expect(await refuse({ challenge: 'Basic realm="x", Bearer scope="a b"' })).toBe(true);
  expect(await headers()).toEqual({ Authorization: 'Bearer access-secret-1' });
  expect(server.arrivals.map(({ path }) => path)).toEqual([PRM, METADATA, '/register', '/token']);
  const [, , registered, exchanged] = server.arrivals;
  expect(JSON.parse(registered?.body ?? '')).toEqual({
    client_name: 'MCP client',
    redirect_uris: ['http://127.0.0.1:1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  });
  const asked = Object.fromEntries(opened[0]?.searchParams ?? []);
  expect(asked).toMatchObject({
    response_type: 'code',
    client_id: 'registered',
    code_challenge_method: 'S256',
    resource: server.mcp,
    scope: 'a b',
  });
  expect(Object.fromEntries(exchanged?.form ?? [])).toMatchObject({
    grant_type: 'authorization_code',
    code: 'code-secret',
    client_id: 'registered',
    resource: server.mcp,
  });
  const digest = await crypto.subtle.digest(
    'SHA-256',
    new TextEncoder().encode(exchanged?.form.get('code_verifier') ?? ''),
  );
  expect(asked['code_challenge']).toBe(Buffer.from(digest).toString('base64url'));
});

describe('concurrency', () => {
  test('requests that are refused at the same time share one flow', async () => {
    const server = await scriptedAuthorizationServer();
    const { refuse, opened } = authorizedAt(server);
    expect(await Promise.all([refuse(), refuse(), refuse()])).toEqual([true, true, true]);
    expect([opened.length, server.count('/token'), server.count(PRM)]).toEqual([1, 1, 1]);
  });

  test('a request that was refused with an earlier token is sent again without a flow', async () => {
    const server = await scriptedAuthorizationServer();
    const { refuse } = authorizedAt(server);
    await refuse();
    const before = server.arrivals.length;
    expect(await refuse({ sent: { Authorization: 'Bearer earlier' } })).toBe(true);
    expect(await refuse({ sent: {} })).toBe(true);
    expect(server.arrivals).toHaveLength(before);
  });

  test('a request that is refused beside a stream needs a login, which the stream does not ask for', async () => {
    const server = await scriptedAuthorizationServer();
    const { refuse } = authorizedAt(server, { user: { redirectUri: 'http://127.0.0.1:1/a' } });
    const [stream, request] = await Promise.allSettled([refuse({ method: 'GET' }), refuse()]);
    expect(stream).toMatchObject({ status: 'fulfilled', value: false });
    expect(request).toMatchObject({ reason: { code: 'user-needed' } });
  });

  test('a request that is refused during a renewal that fails starts an authorization', async () => {
    let isBroken = false;
    const server = await scriptedAuthorizationServer(() => ({
      '/token': ({ form }) =>
        isBroken && form.get('grant_type') === 'refresh_token'
          ? { status: 503, json: {} }
          : { ...TOKENS, expires_in: 5 },
    }));
    const { refuse, headers, opened } = authorizedAt(server);
    await refuse();
    isBroken = true;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3000 });
    onTestFinished(() => void vi.useRealTimers());
    const sent = { Authorization: 'Bearer access-secret-1' };
    const [asked, again] = await Promise.all([
      headers(),
      refuse({ sent, attempt: 0 }).catch((error: unknown) => error),
    ]);
    expect(asked).toEqual(sent);
    expect(again).toMatchObject({ code: 'token-request-failed' });
    isBroken = false;
    expect(await refuse({ sent })).toBe(true);
    expect(opened).toHaveLength(1);
  });

  test('a stream that is refused never asks the user', async () => {
    const server = await scriptedAuthorizationServer();
    const { refuse, opened } = authorizedAt(server);
    expect(await refuse({ method: 'GET' })).toBe(false);
    expect(opened).toEqual([]);
  });
});

describe('a refresh', () => {
  const rotating = (): ((arrival: Arrival) => typeof TOKENS) => {
    let count = 0;
    return () => {
      count += 1;
      return { ...TOKENS, access_token: `access-${count}`, refresh_token: `refresh-${count}` };
    };
  };

  test('follows a 401, rotates the refresh token and runs once', async () => {
    const server = await scriptedAuthorizationServer(() => ({ '/token': rotating() }));
    const { refuse, headers, opened } = authorizedAt(server);
    await refuse();
    expect(await Promise.all([refuse(), refuse()])).toEqual([true, true]);
    expect(await headers()).toEqual({ Authorization: 'Bearer access-2' });
    await refuse();
    const refreshes = server.arrivals.filter(
      ({ form }) => form.get('grant_type') === 'refresh_token',
    );
    expect(refreshes.map(({ form }) => [form.get('refresh_token'), form.get('resource')])).toEqual([
      ['refresh-1', server.mcp],
      ['refresh-2', server.mcp],
    ]);
    expect(opened).toHaveLength(1);
  });

  test('precedes the request when the token expires', async () => {
    const next = rotating();
    const server = await scriptedAuthorizationServer(() => ({
      '/token': (arrival) => ({ ...next(arrival), expires_in: 5 }),
    }));
    const { refuse, headers } = authorizedAt(server);
    await refuse();
    expect(await headers()).toEqual({ Authorization: 'Bearer access-1' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await headers()).toEqual({ Authorization: 'Bearer access-2' });
  });

  test('that hangs delays a request with a valid token by two seconds at most, and only once', async () => {
    const server = await scriptedAuthorizationServer(() => ({
      '/token': ({ form }) =>
        form.get('grant_type') === 'refresh_token' ? 'never' : { ...TOKENS, expires_in: 5 },
    }));
    const { refuse, headers } = authorizedAt(server);
    await refuse();
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() + 3000 });
    onTestFinished(() => void vi.useRealTimers());
    const asked = headers();
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(await asked).toEqual({ Authorization: 'Bearer access-secret-1' });
    expect(await headers()).toEqual({ Authorization: 'Bearer access-secret-1' });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that the server refuses leads to a new authorization', async () => {
    const server = await scriptedAuthorizationServer(() => ({
      '/token': ({ form }) =>
        form.get('grant_type') === 'refresh_token'
          ? { status: 400, json: { error: 'invalid_grant', error_description: 'refresh-secret-1' } }
          : TOKENS,
    }));
    const { refuse, opened } = authorizedAt(server);
    await refuse();
    expect(await refuse()).toBe(true);
    expect(opened).toHaveLength(2);
  });

  test('uses the tokens that another process has stored meanwhile', async () => {
    const server = await scriptedAuthorizationServer();
    const store = new MemoryTokenStore();
    const one = authorizedAt(server, { store });
    const other = authorizedAt(server, { store });
    await one.refuse();
    expect(await other.refuse()).toBe(true);
    expect(await other.headers()).toEqual(await one.headers());
    expect(other.opened).toEqual([]);
  });

  test('never uses the tokens of another principal', async () => {
    const server = await scriptedAuthorizationServer();
    const store = new MemoryTokenStore();
    await authorizedAt(server, { store, principal: 'ann' }).refuse();
    const bob = authorizedAt(server, { store, principal: 'bob' });
    await bob.refuse();
    expect(bob.opened).toHaveLength(1);
  });
});

test.each([
  ['Bearer', undefined, 'listed'],
  ['Bearer', ['own'], 'own'],
  ['Bearer', [], null],
  ['Bearer scope="asked"', undefined, 'asked'],
  ['Bearer scope="asked"', ['own', 'asked'], 'asked own'],
])(
  'with the challenge %s and the option scopes %j a login requests %j',
  async (challenge, scopes, requested) => {
    const server = await scriptedAuthorizationServer((origin) => ({
      '/.well-known/oauth-protected-resource/mcp': () => ({
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
        scopes_supported: ['listed'],
      }),
    }));
    const { refuse, opened } = authorizedAt(server, { scopes });
    await refuse({ challenge });
    expect(opened[0]?.searchParams.get('scope')).toBe(requested);
  },
);

describe('a step-up', () => {
  const STEP_UP = { status: 403, challenge: 'Bearer error="insufficient_scope", scope="write"' };

  test('requests the earlier scopes and the new ones', async () => {
    const server = await scriptedAuthorizationServer();
    const { refuse, opened } = authorizedAt(server);
    await refuse({ challenge: 'Bearer scope="read"' });
    expect(await refuse(STEP_UP)).toBe(true);
    expect(opened.map((url) => url.searchParams.get('scope'))).toEqual(['read', 'read write']);
  });

  test('fails when the scopes were granted already', async () => {
    const server = await scriptedAuthorizationServer();
    const { refuse, opened } = authorizedAt(server);
    await refuse({ challenge: 'Bearer scope="write"' });
    await expect(refuse(STEP_UP)).rejects.toMatchObject({ code: 'token-refused' });
    expect(opened).toHaveLength(1);
  });

  test('is tried twice when the user does not grant the scopes', async () => {
    const server = await scriptedAuthorizationServer(() => ({
      '/token': () => ({ ...TOKENS, scope: 'read' }),
    }));
    const { refuse, opened } = authorizedAt(server);
    await refuse({ challenge: 'Bearer scope="read"' });
    expect(await refuse(STEP_UP)).toBe(true);
    expect(await refuse(STEP_UP)).toBe(true);
    await expect(refuse(STEP_UP)).rejects.toMatchObject({ code: 'token-refused' });
    expect(opened).toHaveLength(3);
  });

  test('is no answer to another 403', async () => {
    const server = await scriptedAuthorizationServer();
    expect(await authorizedAt(server).refuse({ status: 403 })).toBe(false);
    expect(server.arrivals).toEqual([]);
  });
});

test('a token that is refused right after its grant fails the request', async () => {
  const { access_token, token_type } = TOKENS;
  const server = await scriptedAuthorizationServer(() => ({
    '/token': () => ({ access_token, token_type }),
  }));
  const { refuse, opened } = authorizedAt(server);
  await refuse();
  await expect(refuse({ attempt: 1 })).rejects.toMatchObject({ code: 'token-refused' });
  expect(await refuse()).toBe(true);
  expect(opened).toHaveLength(2);
});

describe('discovery', () => {
  const withResource = (path: string) =>
    scriptedAuthorizationServer((origin) => ({
      [PRM]: () => ({ resource: `${origin}${path}`, authorization_servers: [origin] }),
    }));

  test.each(['', '/', '/mcp'])('the resource at the path %j is the server', async (path) => {
    const server = await withResource(path);
    const { refuse, opened } = authorizedAt(server);
    expect(await refuse()).toBe(true);
    expect(opened[0]?.searchParams.get('resource')).toBe(`${server.origin}${path}`);
  });

  test.each(['/mc', '/mcp/other', '/mcp#fragment', '/mcp?other'])(
    'the resource at the path %j is another one and refused',
    async (path) => {
      const server = await withResource(path);
      await expect(authorizedAt(server).refuse()).rejects.toMatchObject({
        code: 'metadata-mismatch',
      });
      expect(server.count(METADATA)).toBe(0);
    },
  );

  test('tries the addresses of an issuer with a path in the prescribed order', async () => {
    const server = await scriptedAuthorizationServer((origin) => ({
      [PRM]: () => undefined,
      '/.well-known/oauth-protected-resource': () => ({
        resource: origin,
        authorization_servers: [`${origin}/tenant`],
      }),
    }));
    await expect(authorizedAt(server).refuse()).rejects.toMatchObject({ code: 'discovery-failed' });
    expect(server.arrivals.map(({ path }) => path)).toEqual([
      PRM,
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-authorization-server/tenant',
      '/.well-known/openid-configuration/tenant',
      '/tenant/.well-known/openid-configuration',
    ]);
  });

  test('continues after a page that is no metadata', async () => {
    const server = await scriptedAuthorizationServer((origin) => ({
      [METADATA]: () => ({ status: 200, headers: { 'content-type': 'text/html' }, json: 'page' }),
      '/.well-known/openid-configuration': () => metadataOf(origin),
    }));
    expect(await authorizedAt(server).refuse()).toBe(true);
  });

  test('continues at the origin after a page that is no metadata of the resource', async () => {
    const server = await scriptedAuthorizationServer((origin) => ({
      [PRM]: () => ({ status: 200, headers: { 'content-type': 'text/html' }, json: 'page' }),
      '/.well-known/oauth-protected-resource': () => ({
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
      }),
    }));
    expect(await authorizedAt(server).refuse()).toBe(true);
  });

  test('uses only the address in the challenge when there is one', async () => {
    const server = await scriptedAuthorizationServer();
    const challenge = `Bearer resource_metadata="${server.origin}/elsewhere"`;
    await expect(authorizedAt(server).refuse({ challenge })).rejects.toMatchObject({
      code: 'discovery-failed',
    });
    expect(server.arrivals.map(({ path }) => path)).toEqual(['/elsewhere']);
  });

  test.each([
    'https://169.254.169.254/latest/meta-data/',
    'http://203.0.113.7/metadata',
    'file:///etc/passwd',
    'https://user:password@203.0.113.7/',
  ])('never requests the address %s in a challenge', async (address) => {
    const server = await scriptedAuthorizationServer();
    const challenge = `Bearer resource_metadata="${address}"`;
    await expect(authorizedAt(server).refuse({ challenge })).rejects.toMatchObject({
      code: 'address-refused',
    });
    expect(server.arrivals).toEqual([]);
  });

  test('falls back to the default paths of 2025-03-26 without any metadata', async () => {
    const server = await scriptedAuthorizationServer(() => ({
      [PRM]: () => undefined,
      [METADATA]: () => undefined,
    }));
    const { refuse, opened } = authorizedAt(server, {}, (state) => ({ code: 'c', state }));
    expect(await refuse()).toBe(true);
    expect(opened[0]?.pathname).toBe('/authorize');
    expect(opened[0]?.searchParams.get('resource')).toBe(server.mcp);
  });

  test('accepts the slash of official SDKs in the issuer of a server of 2025-03-26', async () => {
    const server = await scriptedAuthorizationServer((origin) => ({
      [PRM]: () => undefined,
      [METADATA]: () => ({ ...metadataOf(origin), issuer: `${origin}/` }),
    }));
    const { refuse, opened } = authorizedAt(server, {}, (state) => ({
      code: 'c',
      state,
      iss: `${server.origin}/`,
    }));
    expect(await refuse()).toBe(true);
    expect(opened).toHaveLength(1);
  });

  test('refuses another spelling of the issuer that the resource names', async () => {
    const server = await scriptedAuthorizationServer((origin) => ({
      [METADATA]: () => ({ ...metadataOf(origin), issuer: `${origin}/` }),
    }));
    await expect(authorizedAt(server).refuse()).rejects.toMatchObject({
      code: 'metadata-mismatch',
    });
  });

  test.each([
    ['another issuer', { issuer: 'https://other.example' }, 'metadata-mismatch'],
    ['no PKCE', { code_challenge_methods_supported: undefined }, 'discovery-failed'],
    ['plain PKCE', { code_challenge_methods_supported: ['plain'] }, 'discovery-failed'],
    ['an http: endpoint', { token_endpoint: 'http://as.example/token' }, 'address-refused'],
    [
      'a javascript: endpoint',
      { authorization_endpoint: 'javascript:alert(1)' },
      'address-refused',
    ],
  ])('metadata with %s are refused', async (_what, members, code) => {
    const server = await scriptedAuthorizationServer((origin) => ({
      [METADATA]: () => ({ ...metadataOf(origin), ...members }),
    }));
    const { refuse, opened } = authorizedAt(server);
    await expect(refuse()).rejects.toMatchObject({ code });
    expect(opened).toEqual([]);
  });
});

describe('the redirect', () => {
  test.each([
    ['another issuer', { iss: 'https://evil.example' }],
    ['a normalized issuer', { iss: 'ORIGIN/' }],
    ['no issuer although it is advertised', {}],
    ['another issuer and an error', { iss: 'https://evil.example', error: 'do-what-I-say' }],
    ['another state', { iss: 'ORIGIN', state: 'other' }],
  ])('with %s is refused, and the code is not sent', async (_what, parameters) => {
    const server = await scriptedAuthorizationServer();
    const { refuse } = authorizedAt(server, {}, (state) => ({
      code: 'code-secret',
      state,
      ...Object.fromEntries(
        Object.entries(parameters).map(([name, value]) => [
          name,
          value.replace('ORIGIN', server.origin),
        ]),
      ),
    }));
    const error = await refuse().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'redirect-invalid', oauthError: undefined });
    expect(inspect(error, { depth: 9 })).not.toMatch(/do-what-I-say|code-secret/u);
    expect(server.count('/token')).toBe(0);
  });

  test('with an error of the right issuer names it', async () => {
    const server = await scriptedAuthorizationServer();
    const { refuse } = authorizedAt(server, {}, (state) => ({
      error: 'access_denied',
      state,
      iss: server.origin,
    }));
    await expect(refuse()).rejects.toMatchObject({
      code: 'authorization-refused',
      oauthError: 'access_denied',
    });
  });
});

describe('the user', () => {
  const asked = (authorize: () => Promise<string>, timeoutMs?: number) => ({
    user: { redirectUri: 'http://127.0.0.1:1/callback', authorize, timeoutMs },
  });

  test.each<[string, ReturnType<typeof asked>, string, string]>([
    [
      'refuses',
      asked(() => Promise.reject(new Error('the window was closed'))),
      'authorization-refused',
      'No authorization for',
    ],
    [
      'does not answer',
      asked(() => new Promise(() => undefined), 10),
      'authorization-refused',
      'within 10 ms',
    ],
    [
      'is redirected elsewhere',
      asked(() => Promise.resolve('http://127.0.0.1:1/other?code=code-secret')),
      'redirect-invalid',
      'not the redirect URI',
    ],
  ])('who %s fails the request', async (_what, options, code, message) => {
    const server = await scriptedAuthorizationServer();
    const refused = authorizedAt(server, options).refuse();
    await expect(refused).rejects.toMatchObject({ code });
    await expect(refused).rejects.toThrow(message);
    expect(server.count('/token')).toBe(0);
  });
});

test('a refreshed token that is refused, too, leads to a new authorization', async () => {
  const server = await scriptedAuthorizationServer();
  const { refuse, opened } = authorizedAt(server);
  await refuse();
  expect(await refuse()).toBe(true);
  expect(await refuse({ attempt: 1 })).toBe(true);
  expect(opened).toHaveLength(2);
});

test('no error contains a token, a code, a secret or a verifier', async () => {
  const replies = [
    { access_token: 7, refresh_token: 'refresh-secret', token_type: 'Bearer' },
    { access_token: 'access-secret', token_type: 'unknown' },
    { status: 400, json: { error: 'invalid_grant', error_description: 'code-secret' } },
    { status: 500, json: { access_token: 'access-secret' } },
    { status: 200, json: 'access-secret' },
  ];
  for (const reply of replies) {
    const server = await scriptedAuthorizationServer(() => ({ '/token': () => reply }));
    const clients = [{ issuer: server.origin, clientId: 'c', clientSecret: 'client-secret' }];
    const { refuse } = authorizedAt(server, { registration: { clients } });
    const error = await refuse().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'token-request-failed' });
    const verifier = server.arrivals.at(-1)?.form.get('code_verifier') ?? 'none';
    const text = inspect(error, { depth: 9, showHidden: true });
    expect(text).not.toMatch(/(?:access|refresh|code|client)-secret/u);
    expect(text).not.toContain(verifier);
  }
});

describe('the client', () => {
  test.each([
    [['client_secret_post', 'client_secret_basic'], 'basic'],
    [['client_secret_post'], 'post'],
    [['none'], 'none'],
    [undefined, 'basic'],
  ])('authenticates by the methods %j with %s', async (methods, expected) => {
    const server = await scriptedAuthorizationServer((origin) => ({
      [METADATA]: () => ({
        ...metadataOf(origin),
        token_endpoint_auth_methods_supported: methods,
      }),
    }));
    const clients = [{ issuer: server.origin, clientId: 'a-b', clientSecret: 'p:q r' }];
    await authorizedAt(server, { registration: { clients } }).refuse();
    const { headers, form } = server.arrivals.at(-1)!;
    const sent = {
      basic: headers.authorization,
      post: form.get('client_secret') ?? undefined,
    };
    expect(sent).toEqual({
      basic: expected === 'basic' ? `Basic ${btoa('a-b:p%3Aq+r')}` : undefined,
      post: expected === 'post' ? 'p:q r' : undefined,
    });
    expect(server.count('/register')).toBe(0);
  });

  test('pre-registered elsewhere is not used, and the error says so', async () => {
    const server = await scriptedAuthorizationServer((origin) => ({
      [METADATA]: () => ({ ...metadataOf(origin), registration_endpoint: undefined }),
    }));
    const clients = [{ issuer: 'https://other.example', clientId: 'c' }];
    await expect(
      authorizedAt(server, { registration: { clients } }).refuse(),
    ).rejects.toMatchObject({
      code: 'no-client',
      message: expect.stringContaining('belong to other issuers') as string,
    });
  });

  test('is the metadata document where the server supports it, and is asked for at last', async () => {
    const metadataUrl = 'https://host.example/client.json';
    const server = await scriptedAuthorizationServer((origin) => ({
      [METADATA]: () => ({ ...metadataOf(origin), client_id_metadata_document_supported: true }),
    }));
    const { refuse, opened } = authorizedAt(server, { registration: { metadataUrl } });
    await refuse();
    expect(opened[0]?.searchParams.get('client_id')).toBe(metadataUrl);
    const bare = await scriptedAuthorizationServer((origin) => ({
      [METADATA]: () => ({ ...metadataOf(origin), registration_endpoint: undefined }),
    }));
    const asked = authorizedAt(bare, {
      registration: {
        metadataUrl,
        ask: ({ issuer }) => Promise.resolve({ clientId: `${issuer}#1` }),
      },
    });
    await asked.refuse();
    expect(asked.opened[0]?.searchParams.get('client_id')).toBe(`${bare.origin}#1`);
  });
});

test('offline access is requested where the server supports it', async () => {
  const server = await scriptedAuthorizationServer((origin) => ({
    [METADATA]: () => ({ ...metadataOf(origin), scopes_supported: ['a', 'offline_access'] }),
  }));
  const { refuse, opened } = authorizedAt(server);
  await refuse({ challenge: 'Bearer scope=a' });
  expect(opened[0]?.searchParams.get('scope')).toBe('a offline_access');
  expect(opened[0]?.searchParams.get('prompt')).toBe('consent');
});

test('without a user the request fails with advice', async () => {
  const server = await scriptedAuthorizationServer();
  await expect(authorizedAt(server, { user: undefined }).refuse()).rejects.toMatchObject({
    code: 'user-needed',
  });
});

test.each([
  { user: { redirectUri: 'http://host.example/callback', authorize: () => Promise.resolve('') } },
  { user: { redirectUri: 'no url', authorize: () => Promise.resolve('') } },
  { registration: { metadataUrl: 'http://host.example/client.json' } },
  { registration: { metadataUrl: 'https://host.example/' } },
])('unsafe addresses in the options are refused: %j', (options) => {
  expect(() => createClientAuthorization(options)).toThrow(
    /must be a URL that begins with https:/u,
  );
});
