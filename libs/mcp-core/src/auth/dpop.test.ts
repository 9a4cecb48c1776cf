import { createHash } from 'node:crypto';
import { EmbeddedJWK, jwtVerify, type JWK, type JWTPayload } from 'jose';
import { describe, expect, test } from 'vitest';
import {
  authorizedAt,
  metadataOf,
  scriptedAuthorizationServer,
  TOKENS,
  type Arrival,
  type Reply,
} from './authorization-server.test.support.ts';
import { DpopKey } from './dpop-key.ts';
import { MemoryTokenStore } from './token-store.ts';

const METADATA = '/.well-known/oauth-authorization-server';
const PRM = '/.well-known/oauth-protected-resource/mcp';
const DPOP_TOKENS = { ...TOKENS, token_type: 'DPoP' };

async function claimsOf(proof: string | undefined) {
  const { payload, protectedHeader } = await jwtVerify(proof ?? '', EmbeddedJWK, {
    typ: 'dpop+jwt',
  });
  return { ...payload, jwk: protectedHeader.jwk } as Claims;
}

type Claims = JWTPayload & { readonly jwk?: JWK; readonly ath?: string };

const sha256 = (text: string, encoding: 'base64' | 'base64url'): string =>
  createHash('sha256').update(text).digest(encoding);

/** Starts a server that binds tokens to keys. */
const dpopServer = (token: (arrival: Arrival) => Reply = () => DPOP_TOKENS) =>
  scriptedAuthorizationServer((origin) => ({
    [METADATA]: () => ({
      ...metadataOf(origin),
      dpop_signing_alg_values_supported: ['RS256', 'ES256'],
    }),
    '/token': token,
  }));

describe('a proof', () => {
  const REQUEST = {
    method: 'POST',
    url: 'https://mcp.example/mcp?a=b#c',
    body: '{"é":1}',
    accessToken: 'access-secret',
    nonce: 'nonce',
  };

  test('names the request, its body, the token and the nonce', async () => {
    const key = await DpopKey.generate();
    const first = await claimsOf(key.prove(REQUEST));
    expect(first).toMatchObject({
      htm: 'POST',
      htu: 'https://mcp.example/mcp',
      ath: sha256('access-secret', 'base64url'),
      content_digest: `sha-256=:${sha256(REQUEST.body, 'base64')}:`,
      nonce: 'nonce',
    });
    expect(Math.abs((first.iat ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    expect(Object.keys(first.jwk ?? {}).toSorted()).toEqual(['crv', 'kty', 'x', 'y']);
    const second = await claimsOf(key.prove({ ...REQUEST, body: undefined }));
    expect(second.jti).not.toBe(first.jti);
    expect(second).not.toHaveProperty('content_digest');
  });

  test('of a restored key is of the same key', async () => {
    const key = await DpopKey.generate();
    const restored = await DpopKey.from(JSON.parse(JSON.stringify(key.jwk)) as typeof key.jwk);
    const [one, other] = [key.prove(REQUEST), restored.prove(REQUEST)];
    expect((await claimsOf(one)).jwk).toEqual((await claimsOf(other)).jwk);
    expect(await restored.handle.calculateThumbprint()).toBe(
      await key.handle.calculateThumbprint(),
    );
  });
});

describe('tokens are bound to a key', () => {
  test('when the challenge offers it, and the key stays at a refresh and in the store', async () => {
    const server = await dpopServer();
    const store = new MemoryTokenStore();
    const { refuse, headers, opened } = authorizedAt(server, { store });
    await refuse({ challenge: 'Bearer, DPoP algs="ES256"' });
    const sent = await headers();
    expect(sent['Authorization']).toBe('DPoP access-secret-1');
    const { jwk, ath } = await claimsOf(sent['DPoP']);
    expect(ath).toBe(sha256('access-secret-1', 'base64url'));
    const [, , , exchange] = server.arrivals;
    const atServer = await claimsOf(String(exchange?.headers['dpop']));
    expect(atServer).toMatchObject({ htu: `${server.origin}/token`, jwk });
    expect(atServer).not.toHaveProperty('content_digest');
    expect(opened[0]?.searchParams.get('dpop_jkt')).toMatch(/^[\w-]{43}$/u);

    await refuse({ challenge: 'DPoP' });
    expect((await claimsOf(String(server.arrivals.at(-1)?.headers['dpop']))).jwk).toEqual(jwk);
    const other = authorizedAt(server, { store });
    expect(await other.refuse({ challenge: 'DPoP' })).toBe(true);
    expect((await claimsOf((await other.headers())['DPoP'])).jwk).toEqual(jwk);
  });

  test.each<[string, { readonly [name: string]: unknown }]>([
    ['dpop_bound_access_tokens_required', { dpop_bound_access_tokens_required: true }],
    ['algorithms', { dpop_signing_alg_values_supported: ['ES256'] }],
  ])('when the metadata of the MCP server have %s', async (_what, members) => {
    const server = await scriptedAuthorizationServer((origin) => ({
      [PRM]: () => ({ resource: `${origin}/mcp`, authorization_servers: [origin], ...members }),
      [METADATA]: () => ({
        ...metadataOf(origin),
        dpop_signing_alg_values_supported: ['ES256'],
      }),
      '/token': () => DPOP_TOKENS,
    }));
    const { refuse, headers } = authorizedAt(server);
    await refuse();
    expect((await headers())['Authorization']).toBe('DPoP access-secret-1');
  });

  test.each([
    ['only the authorization server supports it', 'Bearer', ['ES256']],
    ['the authorization server supports other algorithms', 'DPoP', ['RS256']],
    ['the authorization server does not support it', 'DPoP', undefined],
  ])('but not when %s', async (_what, challenge, algorithms) => {
    const server = await scriptedAuthorizationServer((origin) => ({
      [METADATA]: () => ({
        ...metadataOf(origin),
        dpop_signing_alg_values_supported: algorithms,
      }),
    }));
    const { refuse, headers } = authorizedAt(server);
    await refuse({ challenge });
    expect(await headers()).toEqual({ Authorization: 'Bearer access-secret-1' });
  });

  test('and a bearer token in the response is refused', async () => {
    const server = await dpopServer(() => TOKENS);
    await expect(authorizedAt(server).refuse({ challenge: 'DPoP' })).rejects.toMatchObject({
      code: 'token-request-failed',
    });
  });
});

describe('a nonce', () => {
  const demand = (nonce: string): Reply => ({
    status: 400,
    headers: { 'DPoP-Nonce': nonce, 'WWW-Authenticate': 'DPoP error="use_dpop_nonce"' },
    json: { error: 'use_dpop_nonce' },
  });

  test('of the authorization server repeats the token request once', async () => {
    const replies = [demand('one'), DPOP_TOKENS, demand('two'), demand('three')];
    const server = await dpopServer(() => replies.shift() ?? DPOP_TOKENS);
    const { refuse } = authorizedAt(server);
    expect(await refuse({ challenge: 'DPoP' })).toBe(true);
    const [first, second] = server.arrivals.filter(({ path }) => path === '/token');
    expect(await claimsOf(String(first?.headers['dpop']))).not.toHaveProperty('nonce');
    expect(await claimsOf(String(second?.headers['dpop']))).toMatchObject({ nonce: 'one' });
    await expect(refuse({ challenge: 'DPoP' })).rejects.toMatchObject({
      oauthError: 'use_dpop_nonce',
    });
    expect(server.count('/token')).toBe(4);
  });

  test('of the MCP server is in the next proof, and causes no other request', async () => {
    const server = await dpopServer();
    const { authorization, refuse, headers } = authorizedAt(server);
    await refuse({ challenge: 'DPoP' });
    const before = server.arrivals.length;
    const responseHeaders = {
      'www-authenticate': 'DPoP error="use_dpop_nonce"',
      'dpop-nonce': 'one',
    };
    expect(await refuse({ responseHeaders })).toBe(true);
    expect(await claimsOf((await headers())['DPoP'])).toMatchObject({ nonce: 'one' });
    authorization.dpopNonceReceived?.(server.mcp, 'two');
    expect(await claimsOf((await headers())['DPoP'])).toMatchObject({ nonce: 'two' });
    expect(server.arrivals).toHaveLength(before);
  });

  test.each([
    ['use_dpop_nonce', 'sends no nonce'],
    ['invalid_dpop_proof', 'check the clock'],
  ])('cannot answer a refusal with %s', async (error, message) => {
    const server = await dpopServer();
    const { refuse } = authorizedAt(server);
    await refuse({ challenge: 'DPoP' });
    const refused = refuse({ challenge: `DPoP error="${error}"` });
    await expect(refused).rejects.toMatchObject({ code: 'token-refused' });
    await expect(refused).rejects.toThrow(message);
  });
});
