import { base64url, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createServer } from '../../server/create-server.ts';
import { createHttpHandler } from '../server/create-http-handler.ts';
import { protectedResource } from './index.ts';
import {
  protectedPeer,
  RESOURCE,
  SECRET_CLAIM,
  testIssuer,
  testKey,
  type TestIssuer,
} from './test-issuer.test.support.ts';

const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';
const METADATA_URL = `https://mcp.example${METADATA_PATH}`;
const GUIDANCE = `scope="notes", resource_metadata="${METADATA_URL}"`;

function refusal(description: string, error = 'invalid_token'): string {
  return `Bearer error="${error}", error_description="${description}", ${GUIDANCE}`;
}

describe('the protected resource metadata', () => {
  test('are published at the well-known path of the resource, for pages of every origin', async () => {
    const issuer = await testIssuer();
    const { peer } = await protectedPeer(issuer);
    const document = await peer.exchange({ method: 'GET', path: METADATA_PATH });
    expect(document).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': '*' },
      json: {
        resource: RESOURCE,
        authorization_servers: [issuer.origin],
        scopes_supported: ['notes'],
        bearer_methods_supported: ['header'],
      },
    });
    const preflight = { method: 'OPTIONS', path: METADATA_PATH };
    expect(await peer.exchange(preflight)).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-headers': '*' },
    });
    expect((await peer.exchange({ method: 'POST', path: METADATA_PATH })).status).toBe(405);
  });

  test.each([
    ['https://mcp.example', '/.well-known/oauth-protected-resource'],
    ['https://mcp.example/', '/.well-known/oauth-protected-resource'],
    ['https://mcp.example:8443/a/mcp', '/.well-known/oauth-protected-resource/a/mcp'],
  ])('of %s are at %s', (resource, path) => {
    const { documents } = protectedResource({ issuer: 'https://login.example', resource });
    expect(Object.keys(documents ?? {})).toEqual([path]);
  });

  test('are answered for allowed hosts only', async () => {
    const { peer } = await protectedPeer(await testIssuer());
    const headers = { host: 'evil.example' };
    expect((await peer.exchange({ method: 'GET', path: METADATA_PATH, headers })).status).toBe(403);
  });
});

describe('an option that cannot be used is refused at the start:', () => {
  const usable = { issuer: 'https://login.example', resource: RESOURCE };
  test.each([
    ['an issuer without TLS', { issuer: 'http://login.example' }, 'issuer: "http://login.example"'],
    ['an issuer with a query', { issuer: 'https://login.example?a' }, 'issuer:'],
    ['a resource with a fragment', { resource: `${RESOURCE}#` }, 'resource:'],
    ['a resource that is not a URL', { resource: 'mcp.example' }, 'resource: "mcp.example"'],
    ['a symmetric algorithm', { algorithms: ['HS256'] }, 'algorithms: "HS256" is not accepted'],
    ['no signature', { algorithms: ['none'] }, 'algorithms: "none" is not accepted'],
    ['no algorithm', { algorithms: [] }, 'algorithms: the list is empty'],
    ['a scope with a space', { scopes: ['a b'] }, 'scopes: "a b"'],
    ['offline_access', { scopes: ['offline_access'] }, 'offline_access is not a right'],
    [
      'a text that is not a network',
      { network: { allowedNetworks: ['10.0.0.0/8', 'inside'] } },
      'network.allowedNetworks: "inside"',
    ],
    [
      'an introspection endpoint without TLS',
      { introspection: { clientId: 'a', clientSecret: 'b', endpoint: 'http://login.example' } },
      'introspection.endpoint:',
    ],
  ])('%s', (_what, options, message) => {
    expect(() => protectedResource({ ...usable, ...options })).toThrow(message);
  });

  test('a token that is passed in addition', () => {
    const server = createServer({ info: { name: 'test', version: '1' } });
    const access = { authenticate: protectedResource(usable), bearerToken: 'secret' };
    expect(() => createHttpHandler(server, { access })).toThrow('not both');
  });
});

describe('a valid token', () => {
  test('becomes context.auth', async () => {
    const issuer = await testIssuer();
    const { bearer } = bound(await protectedPeer(issuer));
    const exp = Math.floor(Date.now() / 1000) + 60;
    const { json } = await bearer(await issuer.token({ exp, scope: 'notes notes:write' }));
    expect(json).toMatchObject({
      result: {
        structuredContent: {
          auth: {
            principal: 'ada',
            clientId: 'host',
            scopes: ['notes', 'notes:write'],
            expiresAtMs: exp * 1000,
            claims: { iss: issuer.origin, note: SECRET_CLAIM },
          },
        },
      },
    });
  });

  test.each([
    ['without type', { typ: undefined }, {}],
    ['of the general type', { typ: 'JWT' }, {}],
    ['of the full media type', { typ: 'application/at+jwt' }, {}],
    ['with several audiences', {}, { aud: ['https://other.example', RESOURCE] }],
    ['with the scopes in scp', {}, { scope: undefined, scp: ['notes'] }],
    ['of a client without subject', { typ: 'JWT' }, { sub: undefined }],
    ['that becomes valid within the clock tolerance', {}, { nbf: inSeconds(3) }],
  ])('%s is accepted', async (_what, header, claims) => {
    const issuer = await testIssuer();
    const { bearer } = bound(await protectedPeer(issuer));
    const token = await issuer.token(claims, header);
    expect((await bearer(token)).json).toHaveProperty('result');
  });

  test('of an RSA key is accepted', async () => {
    const issuer = await testIssuer();
    issuer.keys = [await testKey('PS256')];
    const { bearer } = bound(await protectedPeer(issuer));
    expect((await bearer(await issuer.token({}, { alg: 'PS256' }))).status).toBe(200);
  });

  test('without key identifier is verified with every key', async () => {
    const issuer = await testIssuer();
    issuer.keys = [await testKey(), await testKey()];
    const { bearer } = bound(await protectedPeer(issuer));
    const [, second] = issuer.keys;
    const token = await issuer.token({}, { kid: undefined, key: second ?? issuer.firstKey });
    expect((await bearer(token)).status).toBe(200);
    const foreign = await issuer.token({}, { kid: undefined, key: await testKey() });
    expect((await bearer(foreign)).headers['www-authenticate']).toBe(
      refusal('The signature of the access token is not valid'),
    );
  });

  test('is verified once, also when many requests present it at the same time', async () => {
    const issuer = await testIssuer();
    const { bearer } = bound(await protectedPeer(issuer));
    const token = await issuer.token();
    const statuses = await Promise.all([1, 2, 3].map(async () => (await bearer(token)).status));
    expect(statuses).toEqual([200, 200, 200]);
    issuer.answers = { '/jwks': 500, '/.well-known/oauth-authorization-server': 500 };
    expect((await bearer(token)).status).toBe(200);
    expect(issuer.keyFetches).toBe(1);
  });

  test('is refused as soon as it has expired, although it is remembered', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const issuer = await testIssuer();
    const { bearer } = bound(await protectedPeer(issuer));
    const token = await issuer.token({ exp: inSeconds(30) });
    expect((await bearer(token)).status).toBe(200);
    vi.setSystemTime(Date.now() + 36_000);
    expect((await bearer(token)).headers['www-authenticate']).toBe(
      refusal('The access token has expired'),
    );
  });

  test('whose audience differs from the resource is accepted when the option names it', async () => {
    const issuer = await testIssuer();
    const { bearer } = bound(await protectedPeer(issuer, { audience: 'api://notes' }));
    expect((await bearer(await issuer.token({ aud: 'api://notes' }))).status).toBe(200);
    expect((await bearer(await issuer.token())).status).toBe(401);
  });

  test('contains the scopes that its scopes imply, over several steps', async () => {
    const issuer = await testIssuer();
    const impliedScopes = { admin: ['notes:write'], 'notes:write': ['notes'] };
    const { bearer } = bound(await protectedPeer(issuer, { impliedScopes }));
    expect((await bearer(await issuer.token({ scope: 'admin' }))).json).toMatchObject({
      result: { structuredContent: { auth: { scopes: ['admin', 'notes:write', 'notes'] } } },
    });
    expect((await bearer(await issuer.token({ scope: '__proto__' }))).status).toBe(403);
  });
});

type WrongToken = (issuer: TestIssuer) => string | Promise<string>;

const WRONG_TOKENS: readonly (readonly [what: string, token: WrongToken, reason: string])[] = [
  ['that is not a JWT', () => 'opaque', 'The access token is not a signed JWT'],
  ['whose claims are not JSON', () => 'e30.AAAA.AAAA', 'The access token is not a signed JWT'],
  [
    'without signature',
    (issuer) => new UnsecuredJWT({ iss: issuer.origin, aud: RESOURCE, sub: 'ada' }).encode(),
    'The signature algorithm of the access token is not accepted',
  ],
  [
    'that is signed symmetrically with the public key',
    (issuer) =>
      new SignJWT({ iss: issuer.origin, aud: RESOURCE, sub: 'ada' })
        .setProtectedHeader({ alg: 'HS256', kid: issuer.firstKey.kid })
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(JSON.stringify(issuer.firstKey.publicJwk))),
    'The signature algorithm of the access token is not accepted',
  ],
  [
    'of an unknown key',
    async (issuer) => issuer.token({}, { key: await testKey() }),
    'The key of the access token is unknown',
  ],
  [
    'of another key under the identifier of a known one',
    async (issuer) => issuer.token({}, { key: await testKey(), kid: issuer.firstKey.kid }),
    'The signature of the access token is not valid',
  ],
  [
    'whose claims were changed',
    async (issuer) => {
      const [header, , signature] = (await issuer.token()).split('.');
      const claims = { iss: issuer.origin, aud: RESOURCE, sub: 'eve', exp: inSeconds(60) };
      return [header, base64url.encode(JSON.stringify(claims)), signature].join('.');
    },
    'The signature of the access token is not valid',
  ],
  [
    'that has expired',
    (issuer) => issuer.token({ exp: inSeconds(-6) }),
    'The access token has expired',
  ],
  [
    'without expiry',
    (issuer) => issuer.token({ exp: undefined }),
    'The access token has no valid exp',
  ],
  [
    'that is not valid yet',
    (issuer) => issuer.token({ nbf: inSeconds(60) }),
    'The access token is not valid yet',
  ],
  [
    'of another issuer',
    (issuer) => issuer.token({ iss: 'https://evil.example' }),
    'The access token is of another issuer',
  ],
  [
    'whose issuer has a final slash',
    (issuer) => issuer.token({ iss: `${issuer.origin}/` }),
    'The access token is of another issuer',
  ],
  [
    'without issuer',
    (issuer) => issuer.token({ iss: undefined }),
    'The access token is of another issuer',
  ],
  [
    'for another server',
    (issuer) => issuer.token({ aud: 'https://other.example/mcp' }),
    'The access token is for another audience',
  ],
  [
    'whose audience has a final slash',
    (issuer) => issuer.token({ aud: `${RESOURCE}/` }),
    'The access token is for another audience',
  ],
  [
    'without audience',
    (issuer) => issuer.token({ aud: undefined }),
    'The access token is for another audience',
  ],
  [
    'of another type',
    (issuer) => issuer.token({}, { typ: 'logout+jwt' }),
    'The JWT is not an access token',
  ],
  [
    'of the type of RFC 9068 without its claims',
    (issuer) => issuer.token({ jti: undefined }),
    'The access token has no jti',
  ],
  [
    'of nobody',
    (issuer) => issuer.token({ sub: undefined, client_id: undefined }, { typ: 'JWT' }),
    'The access token names no subject',
  ],
  [
    'with an unknown critical header',
    (issuer) => withHeader(issuer, { crit: ['exp'], exp: 1 }),
    'The access token uses an unsupported feature',
  ],
  [
    'that is bound to a certificate',
    (issuer) => issuer.token({ cnf: { 'x5t#S256': 'abc' } }),
    'The access token is bound by a method other than DPoP',
  ],
];

describe('401 with the reason is the answer to a token', () => {
  test.each(WRONG_TOKENS)('%s', async (_what, tokenOf, reason) => {
    const issuer = await testIssuer();
    const { bearer, problems } = bound(await protectedPeer(issuer));
    const token = await tokenOf(issuer);
    const answer = await bearer(token);
    expect(answer).toMatchObject({
      status: 401,
      text: 'Unauthorized\n',
      headers: { 'www-authenticate': refusal(reason) },
    });
    expect(problems).toEqual([]);
    expect(JSON.stringify(answer)).not.toContain(SECRET_CLAIM);
    expect(JSON.stringify(answer)).not.toContain(token);
    // Control: the same server accepts a good token, so that nothing else refused this one.
    expect((await bearer(await issuer.token())).status).toBe(200);
  });
});

describe('the answer to a request', () => {
  test('without a token is 401 without an error', async () => {
    const { peer } = await protectedPeer(await testIssuer());
    for (const headers of [{}, { authorization: 'Basic YTpi' }, { authorization: 'BearerToken' }])
      expect(await peer.exchange(peer.modern('tools/list', {}, { headers }))).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': `Bearer ${GUIDANCE}` },
      });
  });

  test('with a token in the query is 401', async () => {
    const issuer = await testIssuer();
    const { peer } = await protectedPeer(issuer);
    const request = peer.modern('tools/list');
    const path = `/mcp?access_token=${await issuer.token()}`;
    expect((await peer.exchange({ ...request, path })).status).toBe(401);
  });

  test('with a malformed token is 400', async () => {
    const { call } = bound(await protectedPeer(await testIssuer()));
    for (const authorization of ['Bearer', 'Bearer a b', 'Bearer "a"', 'DPoP'])
      expect((await call({ authorization })).status).toBe(400);
    expect((await call({ authorization: 'Bearer' })).headers['www-authenticate']).toBe(
      refusal('The Authorization header contains no access token', 'invalid_request'),
    );
  });

  test('with a token of more than 16 KiB is 400, before it is verified', async () => {
    const issuer = await testIssuer();
    const handler = createHttpHandler(createServer({ info: { name: 'test', version: '1' } }), {
      access: {
        allowedHosts: 'any',
        authenticate: protectedResource({ issuer: issuer.origin, resource: RESOURCE }),
      },
    });
    const statusOf = async (token: string) => {
      const headers = { authorization: `Bearer ${token}`, host: 'localhost' };
      const request = new Request('http://localhost/mcp', { method: 'POST', headers });
      return (await handler.fetch(request)).status;
    };
    await expect(statusOf('a'.repeat(16_385))).resolves.toBe(400);
    await expect(statusOf('a'.repeat(16_384))).resolves.toBe(401);
    await handler.close();
  });

  test('of every method needs a token', async () => {
    const { peer } = await protectedPeer(await testIssuer());
    for (const method of ['GET', 'DELETE', 'POST', 'PUT'])
      expect((await peer.exchange({ method })).status).toBe(401);
  });
});

test('a session belongs to its subject, whatever the token', async () => {
  const issuer = await testIssuer();
  const { peer } = await protectedPeer(issuer);
  const as = async (sub: string) => ({ authorization: `Bearer ${await issuer.token({ sub })}` });
  const session = await peer.initialize('2025-11-25', { headers: await as('ada') });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const post = (headers: { readonly [name: string]: string }) =>
    peer.exchange({ headers: { ...session.headers, ...headers }, body: list });
  expect((await post(await as('ada'))).status).toBe(200);
  expect((await post(await as('eve'))).status).toBe(404);
});

function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}

/** Signs a token with header parameters that the library would not sign. */
async function withHeader(
  issuer: TestIssuer,
  parameters: { readonly [name: string]: unknown },
): Promise<string> {
  const [, claims] = (await issuer.token()).split('.');
  const { kid, privateKey } = issuer.firstKey;
  const header = base64url.encode(JSON.stringify({ alg: 'ES256', kid, ...parameters }));
  const signature = await crypto.subtle.sign(
    { name: 'ECDSA', hash: 'SHA-256' },
    privateKey,
    new TextEncoder().encode(`${header}.${claims ?? ''}`),
  );
  return `${header}.${claims ?? ''}.${base64url.encode(new Uint8Array(signature))}`;
}

/** Returns the methods of a peer so that they can be destructured. */
function bound(peer: Awaited<ReturnType<typeof protectedPeer>>) {
  return {
    bearer: (token: string, name?: string) => peer.bearer(token, name),
    call: (headers: { readonly [name: string]: string }) => peer.call(headers),
    problems: peer.problems,
  };
}
