import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  protectedPeer,
  RESOURCE,
  SECRET_CLAIM,
  testIssuer,
  type Answer,
  type ProtectedPeer,
  type TestIssuer,
} from './test-issuer.test.support.ts';

const SECRET = 'secret of the server';
const TOKEN = 'opaque-token-of-ada';

let issuer: TestIssuer;
let peer: ProtectedPeer;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  issuer = await testIssuer();
  peer = await protectedPeer(issuer, {
    introspection: { clientId: 'our:server', clientSecret: SECRET },
  });
});

afterEach(() => {
  vi.useRealTimers();
});

function active(claims: { readonly [name: string]: unknown } = {}): Answer {
  return { active: true, aud: RESOURCE, sub: 'ada', scope: 'notes', note: SECRET_CLAIM, ...claims };
}

function countOf(path: string): number {
  return issuer.requests.filter((request) => request.endsWith(` ${path}`)).length;
}

describe('introspection', () => {
  test('asks the authorization server with the credentials of this server', async () => {
    issuer.introspect = () => active({ client_id: 'host' });
    expect((await peer.bearer(TOKEN)).json).toMatchObject({
      result: {
        structuredContent: { auth: { principal: 'ada', clientId: 'host', scopes: ['notes'] } },
      },
    });
    expect(issuer.bodies.at(-1)).toBe(`token=${TOKEN}&token_type_hint=access_token`);
    const credentials = Buffer.from('our%3Aserver:secret+of+the+server').toString('base64');
    expect(issuer.credentials.at(-1)).toBe(`Basic ${credentials}`);
    expect(countOf('/jwks')).toBe(0);
  });

  test('reuses an answer for a minute, but not beyond the expiry of the token', async () => {
    issuer.introspect = () => active();
    for (let count = 0; count < 3; count += 1) expect((await peer.bearer(TOKEN)).status).toBe(200);
    expect(countOf('/introspect')).toBe(1);
    issuer.introspect = () => ({ active: false });
    vi.setSystemTime(Date.now() + 60_000);
    expect((await peer.bearer(TOKEN)).status).toBe(401);
    const exp = Math.floor(Date.now() / 1000) + 20;
    issuer.introspect = () => active({ exp });
    expect((await peer.bearer('short')).status).toBe(200);
    vi.setSystemTime(Date.now() + 21_000);
    expect((await peer.bearer('short')).headers['www-authenticate']).toContain(
      'The access token has expired',
    );
  });

  test('reuses a refusal for ten seconds', async () => {
    for (let count = 0; count < 3; count += 1) expect((await peer.bearer(TOKEN)).status).toBe(401);
    expect(countOf('/introspect')).toBe(1);
    issuer.introspect = () => active();
    vi.setSystemTime(Date.now() + 10_000);
    expect((await peer.bearer(TOKEN)).status).toBe(200);
  });

  test('asks once for requests that present a token at the same time', async () => {
    issuer.introspect = () => active();
    const statuses = await Promise.all(
      [1, 2, 3].map(async () => (await peer.bearer(TOKEN)).status),
    );
    expect(statuses).toEqual([200, 200, 200]);
    expect(countOf('/introspect')).toBe(1);
  });

  test.each([
    ['is not active', { active: false }, 'The access token is not active'],
    ['is for another server', active({ aud: ['https://other.example'] }), 'for another audience'],
    ['is for nobody', active({ aud: undefined }), 'for another audience'],
    ['is of another issuer', active({ iss: 'https://evil.example' }), 'of another issuer'],
    ['has expired', active({ exp: 1 }), 'has expired'],
    ['has no usable expiry', active({ exp: 'soon' }), 'has expired'],
    ['is not valid yet', active({ nbf: 9e9 }), 'is not valid yet'],
    ['names nobody', active({ sub: undefined }), 'names no subject'],
  ])('refuses a token that %s', async (_what, answer, reason) => {
    issuer.introspect = () => answer;
    const refused = await peer.bearer(TOKEN);
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toContain(`error="invalid_token"`);
    expect(refused.headers['www-authenticate']).toContain(reason);
    expect(JSON.stringify(refused)).not.toContain(SECRET_CLAIM);
    expect(peer.problems).toEqual([]);
  });

  test.each([
    ['refuses this server', 401, 'refused the client id and secret of this server'],
    ['fails', 500, 'answered 500 without an introspection response'],
    ['sends something else', { hello: 1 }, 'answered 200 without an introspection response'],
  ])('gets 503 when the authorization server %s', async (_what, answer, reason) => {
    issuer.introspect = () => answer;
    expect((await peer.bearer(TOKEN)).status).toBe(503);
    const [problem] = peer.problems;
    expect(String(problem)).toContain(reason);
    expect(String(problem)).not.toContain(TOKEN);
    expect(String(problem)).not.toContain(SECRET);
  });

  test('gets 503 when the metadata name no endpoint, and recovers', async () => {
    issuer.metadata = { introspection_endpoint: undefined };
    issuer.introspect = () => active();
    expect((await peer.bearer(TOKEN)).status).toBe(503);
    expect(String(peer.problems[0])).toContain('Pass introspection.endpoint');
    issuer.metadata = {};
    expect((await peer.bearer(TOKEN)).status).toBe(200);
  });

  test('uses the endpoint of the options', async () => {
    const { bearer } = await otherPeer(`${issuer.origin}/other`);
    issuer.answers = { '/other': active() };
    expect((await bearer(TOKEN)).status).toBe(200);
    expect(issuer.requests).toEqual(['POST /other']);
  });
});

async function otherPeer(endpoint: string) {
  const introspection = { clientId: 'a', clientSecret: 'b', endpoint };
  const other = await protectedPeer(issuer, { introspection });
  return { bearer: (token: string) => other.bearer(token) };
}
