import { expect, test } from 'vitest';
import {
  authorizedAt,
  metadataOf,
  scriptedAuthorizationServer,
} from './authorization-server.test.support.ts';
import { createClientAuthorization } from './client-authorization.ts';

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

test('client credentials are granted to the registered client, and it registers nowhere', async () => {
  const server = await scriptedAuthorizationServer();
  const authorized = authorizedAt(server, {
    user: undefined,
    grant: { kind: 'client-credentials' },
    registration: { clients: [{ issuer: server.origin, clientId: 'c', clientSecret: 's' }] },
  });
  expect(await authorized.refuse({ challenge: 'Bearer scope=a' })).toBe(true);
  expect(await authorized.headers()).toEqual({ Authorization: 'Bearer access-secret-1' });
  expect(Object.fromEntries(server.arrivals.at(-1)!.form)).toEqual({
    grant_type: 'client_credentials',
    resource: server.mcp,
    scope: 'a',
    client_id: 'c',
  });
  expect(server.count('/register')).toBe(0);
});

test('a private key signs an assertion for the issuer', async () => {
  const server = await scriptedAuthorizationServer();
  const { privateKey } = await crypto.subtle.generateKey(
    { name: 'ECDSA', namedCurve: 'P-256' },
    false,
    ['sign', 'verify'],
  );
  const clients = [{ issuer: server.origin, clientId: 'c', privateKey }];
  await authorizedAt(server, {
    user: undefined,
    grant: { kind: 'client-credentials' },
    registration: { clients },
  }).refuse();
  const [, payload = ''] = server.arrivals.at(-1)!.form.get('client_assertion')!.split('.');
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
    iss: 'c',
    sub: 'c',
    aud: server.origin,
  });
});

test('a workload presents its own assertion, and a refusal is not retried', async () => {
  const server = await scriptedAuthorizationServer(() => ({
    '/token': () => ({ status: 400, json: { error: 'invalid_grant' } }),
  }));
  const { refuse } = authorizedAt(server, {
    user: undefined,
    grant: { kind: 'jwt-bearer', assertion: ({ issuer }) => Promise.resolve(`jwt for ${issuer}`) },
    registration: { clients: [{ issuer: server.origin, clientId: 'c' }] },
  });
  await expect(refuse()).rejects.toMatchObject({ oauthError: 'invalid_grant' });
  expect(server.count('/token')).toBe(1);
  expect(server.arrivals.at(-1)!.form.get('assertion')).toBe(`jwt for ${server.origin}`);
});

test('an identity provider exchanges the ID token for an assertion', async () => {
  const provider = await scriptedAuthorizationServer((origin) => ({
    '/.well-known/oauth-authorization-server': () => metadataOf(origin),
    '/token': () => ({ access_token: 'jag', issued_token_type: ID_JAG, token_type: 'N_A' }),
  }));
  const server = await scriptedAuthorizationServer();
  const idToken = (): Promise<string> => Promise.resolve('id-token');
  const { refuse } = authorizedAt(server, {
    user: undefined,
    grant: {
      kind: 'enterprise-managed',
      identityProvider: { issuer: provider.origin, client: { clientId: 'idp' }, idToken },
    },
    registration: { clients: [{ issuer: server.origin, clientId: 'c', clientSecret: 's' }] },
  });
  expect(await refuse()).toBe(true);
  expect(Object.fromEntries(provider.arrivals.at(-1)!.form)).toMatchObject({
    requested_token_type: ID_JAG,
    audience: server.origin,
    resource: server.mcp,
    subject_token: 'id-token',
  });
  expect(server.arrivals.at(-1)!.form.get('assertion')).toBe('jag');
});

test('a grant and a user exclude each other', () => {
  expect(() =>
    createClientAuthorization({
      grant: { kind: 'client-credentials' },
      user: { redirectUri: 'https://host.example/', authorize: () => Promise.resolve('') },
    }),
  ).toThrow('either user or grant');
});
