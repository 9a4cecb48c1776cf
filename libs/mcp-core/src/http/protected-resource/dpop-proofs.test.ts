import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DpopProofs } from './dpop-proofs.ts';
import {
  boundTo,
  dpopProof,
  protectedPeer,
  RESOURCE,
  SECRET_CLAIM,
  testIssuer,
  testKey,
  type ProtectedPeer,
  type TestIssuer,
  type TestKey,
} from './test-issuer.test.support.ts';

let issuer: TestIssuer;
let peer: ProtectedPeer;
let key: TestKey;
let token: string;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  issuer = await testIssuer();
  peer = await protectedPeer(issuer);
  key = await testKey();
  token = await issuer.token(await boundTo(key));
});

afterEach(() => {
  vi.useRealTimers();
});

const send = (proof: string, given = token, at = peer) =>
  at.call({ authorization: `DPoP ${given}`, dpop: proof });

function refusal(error: string, description: string): string {
  return `DPoP error="${error}", error_description="${description}", scope="notes", resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp", algs="RS256`;
}

describe('a bound token', () => {
  test('with a proof of its key is accepted, whatever the query and the case of the host', async () => {
    for (const htu of [RESOURCE, `${RESOURCE}?a#b`, 'https://MCP.example:443/mcp'])
      expect((await send(await dpopProof(key, token, { claims: { htu } }))).status).toBe(200);
  });

  test('is accepted on the path behind a proxy and on that of the resource', async () => {
    const other = await protectedPeer(issuer, {
      resource: 'https://mcp.example/notes/mcp',
      audience: RESOURCE,
    });
    for (const [htu, status] of [
      ['https://mcp.example/notes/mcp', 200],
      ['https://mcp.example/mcp', 200],
      ['https://mcp.example/other', 401],
    ] as const) {
      const proof = await dpopProof(key, token, { claims: { htu } });
      expect((await send(proof, token, other)).status).toBe(status);
    }
  });

  test('is refused as a bearer token', async () => {
    expect((await peer.bearer(token)).headers['www-authenticate']).toContain(
      refusal('invalid_token', 'The access token is bound to a key and needs the scheme DPoP'),
    );
  });

  test('is refused without a proof', async () => {
    const answer = await peer.call({ authorization: `DPoP ${token}` });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain(
      refusal('invalid_dpop_proof', 'The request has no DPoP proof'),
    );
  });

  test('that lacks a scope is challenged with its own scheme', async () => {
    const poor = await issuer.token({ ...(await boundTo(key)), scope: 'other' });
    const answer = await send(await dpopProof(key, poor), poor);
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toMatch(/^DPoP error="insufficient_scope"/u);
  });
});

test('a token without a key is refused with the scheme DPoP', async () => {
  const unbound = await issuer.token();
  const answer = await send(await dpopProof(key, unbound), unbound);
  expect(answer.headers['www-authenticate']).toContain(
    refusal('invalid_token', 'The access token is not bound to a key'),
  );
});

type Change = Parameters<typeof dpopProof>[2];

const WRONG_PROOFS: readonly (readonly [string, () => Change, string])[] = [
  ['of another method', () => ({ claims: { htm: 'GET' } }), 'The DPoP proof is for another method'],
  [
    'without method',
    () => ({ claims: { htm: undefined } }),
    'The DPoP proof is for another method',
  ],
  [
    'for another host',
    () => ({ claims: { htu: 'https://evil.example/mcp' } }),
    'The DPoP proof is for another URL',
  ],
  [
    'for another path',
    () => ({ claims: { htu: 'https://mcp.example/other' } }),
    'The DPoP proof is for another URL',
  ],
  ['for no URL', () => ({ claims: { htu: 7 } }), 'The DPoP proof is for another URL'],
  [
    'for another token',
    () => ({ claims: { ath: 'abc' } }),
    'The DPoP proof is for another access token',
  ],
  [
    'for no token',
    () => ({ claims: { ath: undefined } }),
    'The DPoP proof is for another access token',
  ],
  ['that is too old', () => ({ claims: { iat: now() - 66 } }), 'The DPoP proof is not recent'],
  ['of the future', () => ({ claims: { iat: now() + 6 } }), 'The DPoP proof is not recent'],
  ['without time', () => ({ claims: { iat: undefined } }), 'The DPoP proof is not recent'],
  ['without jti', () => ({ claims: { jti: undefined } }), 'The DPoP proof has no jti or iat'],
  [
    'of another type',
    () => ({ header: { typ: 'JWT' } }),
    'The DPoP proof has another type than dpop+jwt',
  ],
  [
    'without key',
    () => ({ header: { jwk: undefined } }),
    'The DPoP proof is not a JWT with a public key',
  ],
];

describe('401 invalid_dpop_proof with the reason is the answer to a proof', () => {
  test.each(WRONG_PROOFS)('%s', async (_what, change, reason) => {
    const answer = await send(await dpopProof(key, token, change()));
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain(refusal('invalid_dpop_proof', reason));
    expect(JSON.stringify(answer)).not.toContain(SECRET_CLAIM);
    expect(peer.problems).toEqual([]);
    expect((await send(await dpopProof(key, token))).status).toBe(200);
  });

  test('of another key', async () => {
    const answer = await send(await dpopProof(await testKey(), token));
    expect(answer.headers['www-authenticate']).toContain(
      'The DPoP proof has another key than the access token',
    );
  });

  test('that another key signed', async () => {
    const { privateKey } = await testKey();
    const answer = await send(await dpopProof({ ...key, privateKey }, token));
    expect(answer.headers['www-authenticate']).toContain(
      'The signature of the DPoP proof is not valid',
    );
  });

  test('of an algorithm that is not accepted', async () => {
    const strict = await protectedPeer(issuer, { algorithms: ['ES256'] });
    const other = await testKey('Ed25519');
    const proof = await dpopProof(other, token, { header: { alg: 'Ed25519' } });
    expect((await send(proof, token, strict)).headers['www-authenticate']).toContain(
      'The signature algorithm of the DPoP proof is not accepted',
    );
  });

  test('that contains a private key', async () => {
    const { exportJWK } = await import('jose');
    const jwk = await exportJWK(key.privateKey);
    const answer = await send(await dpopProof(key, token, { header: { jwk } }));
    expect(answer.headers['www-authenticate']).toContain('is not a JWT with a public key');
  });

  test('that was used before', async () => {
    const proof = await dpopProof(key, token);
    const statuses = await Promise.all([1, 2, 3].map(async () => (await send(proof)).status));
    expect(statuses.toSorted((left, right) => left - right)).toEqual([200, 401, 401]);
    expect((await send(proof)).headers['www-authenticate']).toContain(
      refusal('invalid_dpop_proof', 'The DPoP proof was used before'),
    );
    vi.setSystemTime(Date.now() + 65_000);
    expect((await send(proof)).status).toBe(401);
  });

  test('when there are two', async () => {
    const proofs = [await dpopProof(key, token), await dpopProof(key, token)];
    expect((await send(proofs.join(', '))).status).toBe(401);
  });
});

test('the same jti of another key is another proof', async () => {
  const other = await testKey();
  const tokens = [
    [key, token],
    [other, await issuer.token(await boundTo(other))],
  ] as const;
  for (const [each, its] of tokens)
    expect((await send(await dpopProof(each, its, { claims: { jti: 'same' } }), its)).status).toBe(
      200,
    );
});

test('proofs beyond the limit are evicted, and all proofs of the same age or older are then refused', async () => {
  const proofs = new DpopProofs({
    resource: RESOURCE,
    algorithms: ['ES256'],
    nonces: undefined,
    maxProofs: 2,
  });
  const { jkt } = (await boundTo(key)).cnf;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  const check = (proof: string) =>
    proofs.check(proof, {
      target: { method: 'POST', path: '/mcp' },
      tokenHash: Buffer.from(hash).toString('base64url'),
      key: jkt,
    });
  const at = (iat: number) => dpopProof(key, token, { claims: { iat } });
  const first = await at(now() - 10);
  await check(first);
  await check(await at(now() - 5));
  await check(await at(now()));
  await expect(check(first)).rejects.toThrow('The DPoP proof was used before');
  await expect(check(await at(now() - 10))).rejects.toThrow('The DPoP proof was used before');
  await expect(check(await at(now()))).resolves.toBeUndefined();
});

describe('the options of DPoP', () => {
  test('offer it in the challenge', async () => {
    const offering = await protectedPeer(issuer, { dpop: {} });
    expect((await offering.call({})).headers['www-authenticate']).toMatch(
      /^Bearer scope="notes", .*, DPoP scope="notes", .* algs="RS256/u,
    );
    expect((await offering.bearer(await issuer.token())).status).toBe(200);
  });

  test('require it', async () => {
    const strict = await protectedPeer(issuer, { dpop: { isRequired: true } });
    expect((await strict.call({})).headers['www-authenticate']).toMatch(/^DPoP scope="notes"/u);
    const unbound = await issuer.token();
    for (let count = 0; count < 2; count += 1)
      expect((await strict.bearer(unbound)).headers['www-authenticate']).toContain(
        refusal('invalid_token', 'The access token is not bound to a key'),
      );
    expect((await send(await dpopProof(key, token), token, strict)).status).toBe(200);
    const path = '/.well-known/oauth-protected-resource/mcp';
    expect((await strict.peer.exchange({ method: 'GET', path })).json).toMatchObject({
      dpop_bound_access_tokens_required: true,
    });
  });

  test('require a recent nonce, which each answer renews', async () => {
    const strict = await protectedPeer(issuer, { dpop: { needsNonce: true } });
    const withNonce = async (nonce?: string) =>
      send(await dpopProof(key, token, { claims: { nonce } }), token, strict);
    const refused = await withNonce();
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toContain(
      refusal('use_dpop_nonce', 'The DPoP proof needs the nonce in DPoP-Nonce'),
    );
    const nonce = String(refused.headers['dpop-nonce']);
    const accepted = await withNonce(nonce);
    expect(accepted.status).toBe(200);
    expect(accepted.headers['dpop-nonce']).toBe(nonce);
    vi.setSystemTime(Date.now() + 150_000);
    const renewed = String((await withNonce(nonce)).headers['dpop-nonce']);
    expect(renewed).not.toBe(nonce);
    vi.setSystemTime(Date.now() + 150_000);
    expect((await withNonce(nonce)).status).toBe(401);
    expect((await withNonce(renewed)).status).toBe(200);
    expect((await withNonce('invented')).status).toBe(401);
  });
});

function now(): number {
  return Math.floor(Date.now() / 1000);
}
