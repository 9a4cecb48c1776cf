import { inspect } from 'node:util';
import { AuthorizationError, beginDeviceLogin, loginRequestOf } from '@signalbox/mcp-core/auth';
import { describe, expect, test } from 'vitest';
import { clientOf, redirectUri, serve } from './client.test.support.ts';
import { MISBEHAVIORS, type Misbehavior } from './misbehavior.ts';

/** The error of a login for each misbehavior that prevents it, and part of its message. */
const REFUSALS: readonly (readonly [Misbehavior, string, string])[] = [
  ['resource-mismatch', 'metadata-mismatch', 'are those of another resource: https://other'],
  ['resource-without-servers', 'discovery-failed', 'name no authorization server'],
  ['resource-names-http-server', 'address-refused', 'http://203.0.113.5/.well-known'],
  ['resource-html', 'discovery-failed', 'answered 200 without a JSON object'],
  ['issuer-mismatch', 'metadata-mismatch', 'name another issuer: https://other.example'],
  ['issuer-slash', 'metadata-mismatch', 'name another issuer'],
  ['no-pkce', 'discovery-failed', 'do not list S256'],
  ['plain-pkce', 'discovery-failed', 'do not list S256'],
  ['http-token-endpoint', 'address-refused', 'The token_endpoint of'],
  ['script-authorization-endpoint', 'address-refused', 'The authorization_endpoint of'],
  ['metadata-redirects-to-private-address', 'address-refused', '169.254.169.254'],
  ['metadata-redirects-forever', 'discovery-failed', 'answered 302 without a JSON object'],
  ['metadata-huge', 'unreachable', 'more than 262144 bytes'],
  ['metadata-hangs', 'unreachable', 'no response within 1500 ms'],
  ['metadata-html', 'discovery-failed', 'answered 200 without a JSON object'],
  ['metadata-fails', 'discovery-failed', 'answered 503 without a JSON object'],
  ['registration-refused', 'no-client', 'did not register this host'],
  ['registration-html', 'no-client', 'did not register this host'],
  ['registration-without-id', 'no-client', 'did not register this host'],
  ['redirect-elsewhere', 'redirect-invalid', 'an address that is not the redirect URI'],
  ['redirect-with-other-issuer', 'redirect-invalid', 'its issuer or state differs'],
  ['redirect-without-issuer', 'redirect-invalid', 'its issuer or state differs or is missing'],
  ['redirect-with-other-state', 'redirect-invalid', 'its issuer or state differs'],
  ['redirect-with-foreign-error', 'redirect-invalid', 'its issuer or state differs'],
  ['token-type-missing', 'token-request-failed', 'cannot be used (OAUTH_INVALID_RESPONSE)'],
  ['token-missing', 'token-request-failed', 'cannot be used (OAUTH_INVALID_RESPONSE)'],
  ['token-type-unknown', 'token-request-failed', 'cannot be used (OAUTH_UNSUPPORTED_OPERATION)'],
  ['token-type-dpop', 'token-request-failed', 'issued a DPoP token, but a Bearer token was'],
  ['token-html', 'token-request-failed', 'cannot be used (OAUTH_RESPONSE_IS_NOT_JSON)'],
  ['token-huge', 'unreachable', 'more than 262144 bytes'],
  ['token-hangs', 'unreachable', 'no response within 1500 ms'],
  ['token-redirects', 'token-request-failed', 'cannot be used (OAUTH_RESPONSE_IS_NOT_CONFORM)'],
  ['token-error-with-secret', 'token-request-failed', 'refused the request with invalid_grant'],
];

describe('a login at a server that misbehaves', () => {
  test.each(REFUSALS)('by %s ends with %s', async (misbehavior, code, message) => {
    const server = await serve();
    server.misbehave(misbehavior);
    const isHanging = misbehavior.endsWith('-hangs');
    const client = clientOf(server, isHanging ? { network: { timeoutMs: 1500 } } : {});
    const error: unknown = await client.logIn().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AuthorizationError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) as string });
    expectNoSecrets(error, server.requests.map(({ body }) => body).join('&'));
    const expected = misbehavior.startsWith('token') ? 1 : 0;
    expect(server.requestsTo('token')).toHaveLength(expected);

    server.misbehave();
    await expect(clientOf(server).logIn()).resolves.toMatchObject({ issuer: server.issuer });
  });

  test('by a Bearer token for a DPoP request is refused', async () => {
    const server = await serve({ dpop: {} });
    server.misbehave('token-type-bearer');
    await expect(clientOf(server).logIn()).rejects.toMatchObject({
      code: 'token-request-failed',
      message: expect.stringContaining('issued a Bearer token, but a DPoP token') as string,
    });
  });

  test('by a new nonce each time is refused after one repetition', async () => {
    const server = await serve({ dpop: {} });
    server.misbehave('token-nonce-forever');
    await expect(clientOf(server).logIn()).rejects.toMatchObject({
      code: 'token-request-failed',
      oauthError: 'use_dpop_nonce',
    });
    expect(server.requestsTo('token')).toHaveLength(2);
  });

  test('by an address for the user that is a script is refused', async () => {
    const server = await serve();
    server.misbehave('device-script-address');
    const { store } = clientOf(server);
    const login = beginDeviceLogin({ server: server.resource }, { store, redirectUri });
    await expect(login).rejects.toMatchObject({ code: 'address-refused' });
  });
});

describe('a client copes with a server', () => {
  test('whose tokens have no expiry: they are used until they are refused', async () => {
    const server = await serve();
    server.misbehave('token-without-expiry');
    const client = clientOf(server);
    const key = await client.logIn();
    expect((await client.store.readTokens(key))?.expiresAt).toBeUndefined();
    await client.refuse();
    const before = await client.headers();
    expect(await client.refuse()).toBe(true);
    expect(await client.headers()).not.toEqual(before);
  });

  test('whose expiry is a text', async () => {
    const server = await serve();
    server.misbehave('token-with-text-expiry');
    const client = clientOf(server);
    const key = await client.logIn();
    const { expiresAt = 0 } = (await client.store.readTokens(key)) ?? {};
    expect(Math.abs(expiresAt - Date.now() - 3_600_000)).toBeLessThan(60_000);
  });

  test('whose tokens have expired when they are issued: each request does not refresh them', async () => {
    const server = await serve();
    server.misbehave('token-expired');
    const client = clientOf(server);
    await client.logIn();
    await client.refuse();
    await client.headers();
    await client.headers();
    expect(server.requestsTo('token')).toHaveLength(1);
  });

  test('that grants fewer scopes: the step-up names those that are missing', async () => {
    const server = await serve();
    server.misbehave('token-with-fewer-scopes');
    const client = clientOf(server);
    const key = await client.logIn({ scopes: ['a', 'b'] });
    expect(await client.store.readTokens(key)).toMatchObject({
      requestedScopes: ['a', 'b'],
      scopes: ['b'],
    });
    await client.refuse();
    const stepUp = { status: 403, challenge: 'Bearer error="insufficient_scope", scope="a"' };
    const error: unknown = await client.refuse(stepUp).catch((reason: unknown) => reason);
    expect(loginRequestOf(error)).toMatchObject({
      reason: 'insufficient-scope',
      challengedScopes: ['a'],
      scopes: ['a', 'b'],
    });
  });

  test('that does not rotate refresh tokens: the first one stays', async () => {
    const server = await serve();
    server.misbehave('refresh-without-rotation');
    const client = clientOf(server);
    const key = await client.logIn();
    const first = await client.store.readTokens(key);
    await client.refuse();
    expect(await client.refuse()).toBe(true);
    const second = await client.store.readTokens(key);
    expect(second?.refreshToken).toBe(first?.refreshToken);
    expect(second?.accessToken).not.toBe(first?.accessToken);
  });

  test('that cannot refresh for the moment: the tokens stay', async () => {
    const server = await serve();
    const client = clientOf(server);
    await client.logIn();
    await client.refuse();
    server.misbehave('refresh-fails-for-now');
    await expect(client.refuse()).rejects.toMatchObject({ oauthError: 'temporarily_unavailable' });
    server.misbehave();
    expect(await client.refuse()).toBe(true);
  });
});

test('each misbehavior has a test', async () => {
  const { readFileSync } = await import('node:fs');
  const tests = ['misbehaviors.test.ts', 'flows.test.ts']
    .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
    .join('');
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  for (const misbehavior of MISBEHAVIORS) {
    expect(tests).toContain(`'${misbehavior}'`);
    expect(readme).toContain(`\`${misbehavior}\``);
  }
});

/** Expects that an error contains none of the secrets in forms. */
function expectNoSecrets(error: unknown, forms: string): void {
  const text = inspect(error, { depth: 9, showHidden: true });
  const secrets = [...new URLSearchParams(forms)]
    .filter(([name]) => ['code', 'code_verifier', 'refresh_token'].includes(name))
    .map(([, value]) => value);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
}
