import {
  beginDeviceLogin,
  finishDeviceLogin,
  loginRequestOf,
  logOut,
  type MachineGrant,
} from '@signalbox/mcp-core/auth';
import { generateKeyPair, exportJWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { clientOf, redirectUri, serve } from './client.test.support.ts';

const tokenOf = ({ Authorization: value = '' }: { readonly [name: string]: string }): string =>
  value.split(' ')[1] ?? '';

describe('a client logs in', () => {
  test.each([['oauth'], ['openid']] as const)('with the metadata of %s', async (kind) => {
    const server = await serve({ path: '/tenant', documents: [kind] });
    const client = clientOf(server);
    await client.logIn({ scopes: ['a'] });
    expect(await client.refuse()).toBe(true);
    const token = server.findAccess(tokenOf(await client.headers()));
    expect(token?.claims).toMatchObject({
      iss: server.issuer,
      aud: server.resource,
      scope: 'a',
      sub: 'user',
    });
  });

  test('with its metadata document', async () => {
    const metadataUrl = 'https://host.example/client.json';
    const document = { client_id: metadataUrl, redirect_uris: [redirectUri] };
    const server = await serve({ clientDocuments: { [metadataUrl]: document } });
    const client = clientOf(server, { registration: { metadataUrl } });
    const key = await client.logIn();
    expect((await client.store.readTokens(key))?.clientId).toBe(metadataUrl);
    expect(server.requestsTo('register')).toEqual([]);
  });

  test('and is told that the user refused', async () => {
    const server = await serve();
    server.decide({ isGranted: false });
    await expect(clientOf(server).logIn()).rejects.toMatchObject({
      code: 'authorization-refused',
      oauthError: 'access_denied',
    });
  });

  test.each([false, true])('with tokens bound to a key (nonces: %s)', async (needsNonce) => {
    const server = await serve({ dpop: { isRequired: true, needsNonce } });
    const client = clientOf(server);
    const key = await client.logIn();
    const { dpopKey, tokenType } = (await client.store.readTokens(key)) ?? {};
    expect([tokenType, dpopKey?.kty]).toEqual(['DPoP', 'EC']);
    await client.refuse();
    const first = await client.headers();
    const second = await client.headers();
    expect(first['Authorization']).toMatch(/^DPoP /u);
    expect(first['DPoP']).not.toBe(second['DPoP']);
    server.dpop.rotateNonce();
    expect(await client.refuse()).toBe(true);
    expect(server.findAccess(tokenOf(await client.headers()))).toBeDefined();
    expect((await client.store.readTokens(key))?.dpopKey).toEqual(dpopKey);
  });

  test('with a code on another device, and logs out', async () => {
    const server = await serve();
    server.devices.intervalSeconds = 0.01;
    const { store } = clientOf(server);
    const options = { store, redirectUri };
    const login = await beginDeviceLogin({ server: server.resource }, options);
    const finished = finishDeviceLogin(login.pending, options);
    await fetch(String(login.verificationUriComplete));
    const key = await finished;
    const { accessToken = '', refreshToken } = (await store.readTokens(key)) ?? {};
    expect(server.findAccess(accessToken)).toBeDefined();

    expect(await logOut(key, options)).toEqual({ isRevoked: true });
    expect(server.findAccess(accessToken)).toBeUndefined();
    expect(refreshToken).toBeDefined();
  });

  test('with a code on another device, and tokens bound to a key', async () => {
    const server = await serve({ dpop: { needsNonce: true } });
    server.devices.intervalSeconds = 0.01;
    const { store, refuse, headers } = clientOf(server);
    const options = { store, redirectUri };
    const { pending, userCode } = await beginDeviceLogin({ server: server.resource }, options);
    server.devices.enter(userCode, true, 'ann');
    const key = await finishDeviceLogin(pending, options);
    expect((await store.readTokens(key))?.dpopKey).toEqual(pending.dpopKey);
    await refuse();
    const token = server.findAccess(tokenOf(await headers()));
    expect(token?.claims).toMatchObject({ sub: 'ann', cnf: {} });
  });

  test('and out when the tokens cannot be revoked', async () => {
    const server = await serve();
    const client = clientOf(server);
    const key = await client.logIn();
    server.misbehave('revocation-fails');
    const options = { store: client.store, redirectUri };
    expect(await logOut(key, options)).toEqual({ isRevoked: false });
    expect(await client.store.readTokens(key)).toBeUndefined();
  });
});

describe('a refresh token', () => {
  test('that somebody else has used ends in a login, and all tokens are revoked', async () => {
    const server = await serve();
    const client = clientOf(server);
    const key = await client.logIn();
    await client.refuse();
    const { refreshToken = '', clientId } = (await client.store.readTokens(key))!;
    const stolen = await fetch(`${server.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: clientId,
        resource: server.resource,
      }),
    });
    const { access_token: thief } = (await stolen.json()) as { access_token: string };
    expect(server.findAccess(thief)).toBeDefined();

    const before = server.requestsTo('token').length;
    const error: unknown = await client.refuse().catch((reason: unknown) => reason);
    expect(loginRequestOf(error)?.reason).toBe('refresh-refused');
    expect(server.findAccess(thief)).toBeUndefined();
    await expect(client.refuse()).rejects.toMatchObject({ code: 'user-needed' });
    expect(server.requestsTo('token')).toHaveLength(before + 1);
  });

  test('of a client that the server has forgotten ends in a login with a new client', async () => {
    const server = await serve();
    const client = clientOf(server);
    const key = await client.logIn();
    await client.refuse();
    server.clients.forget((await client.store.readTokens(key))!.clientId);
    const error: unknown = await client.refuse().catch((reason: unknown) => reason);
    expect(loginRequestOf(error)?.reason).toBe('refresh-refused');
    await client.logIn();
    expect(await client.refuse()).toBe(true);
    expect(server.requestsTo('register')).toHaveLength(2);
  });
});

describe('a machine obtains tokens', () => {
  test('with a secret, with a private key, with a JWT of its platform', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] };
    const grantTypes = ['client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer'];
    const common = { redirectUris: [], grantTypes };
    const platform = await serve();
    const server = await serve({
      assertionIssuers: { [platform.issuer]: () => platform.keys.jwks },
      clients: [
        { ...common, clientId: 's', clientSecret: 'secret', authMethod: 'client_secret_basic' },
        { ...common, clientId: 'k', jwks, authMethod: 'private_key_jwt' },
      ],
    });
    const assertion = (): Promise<string> =>
      platform.assertions.issueIdToken('workload', server.issuer);
    const machines: [string, MachineGrant, {}][] = [
      ['s', { kind: 'client-credentials' }, { clientSecret: 'secret' }],
      ['k', { kind: 'client-credentials' }, { privateKey }],
      ['workload', { kind: 'jwt-bearer', assertion }, { clientSecret: 'secret' }],
    ];
    for (const [subject, grant, credentials] of machines) {
      const clientId = subject === 'workload' ? 's' : subject;
      const clients = [{ issuer: server.issuer, clientId, ...credentials }];
      const client = clientOf(server, { user: undefined, grant, registration: { clients } });
      expect(await client.refuse({ challenge: 'Bearer scope="a"' })).toBe(true);
      const token = server.findAccess(tokenOf(await client.headers()));
      expect(token?.claims).toMatchObject({ sub: subject, scope: 'a', aud: server.resource });
    }
  });

  test('for its user, with the ID token of an identity provider', async () => {
    const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
    const bearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const known = { redirectUris: [], authMethod: 'client_secret_basic' };
    const provider = await serve({
      clients: [{ ...known, clientId: 'idp', clientSecret: 'one', grantTypes: [exchange] }],
    });
    const server = await serve({
      clients: [{ ...known, clientId: 'as', clientSecret: 'two', grantTypes: [bearer] }],
      assertionIssuers: { [provider.issuer]: () => provider.keys.jwks },
    });
    // The client_id in the assertion is that of the client at the provider.
    const grant: MachineGrant = {
      kind: 'enterprise-managed',
      identityProvider: {
        issuer: provider.issuer,
        client: { clientId: 'idp', clientSecret: 'one' },
        idToken: () => provider.assertions.issueIdToken('ann', 'idp'),
      },
    };
    const clients = [{ issuer: server.issuer, clientId: 'as', clientSecret: 'two' }];
    const client = clientOf(server, { user: undefined, grant, registration: { clients } });
    await expect(client.refuse()).rejects.toMatchObject({ oauthError: 'invalid_grant' });
    server.clients.add({ ...known, clientId: 'idp', clientSecret: 'two', grantTypes: [bearer] });
    const same = [{ issuer: server.issuer, clientId: 'idp', clientSecret: 'two' }];
    const right = clientOf(server, { user: undefined, grant, registration: { clients: same } });
    expect(await right.refuse()).toBe(true);
    const token = server.findAccess(tokenOf(await right.headers()));
    expect(token?.claims['sub']).toBe('ann');
  });
});
