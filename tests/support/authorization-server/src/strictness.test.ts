import { describe, expect, test } from 'vitest';
import { redirectUri, serve } from './client.test.support.ts';
import { RawClient, RawKey, secondsAfter, type Changes } from './raw-client.test.support.ts';

describe('the authorization endpoint', () => {
  test.each<[string, Changes, string]>([
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no PKCE', { code_challenge: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['no resource', { resource: undefined }, 'invalid_target'],
    ['a resource with a fragment', { resource: 'https://a.example/#b' }, 'invalid_target'],
    ['an unknown resource', { resource: 'https://a.example/' }, 'invalid_target'],
    ['an unknown scope', { scope: 'read admin' }, 'invalid_scope'],
  ])('redirects a request with %s with an error', async (_what, changes, error) => {
    const server = await serve({ scopes: ['read'], resources: ['https://mcp.example/mcp'] });
    const client = new RawClient(server);
    const right = { resource: 'https://mcp.example/mcp', scope: 'read' };
    expect(await client.redirected(right)).toMatchObject({ state: 'state', iss: server.issuer });
    const refused = await client.redirected({ ...right, ...changes });
    expect(refused).toMatchObject({ error, state: 'state', iss: server.issuer });
    expect(refused).not.toHaveProperty('code');
  });

  test.each<[string, Changes]>([
    ['an unknown client', { client_id: 'unknown' }],
    ['another redirect URI', { redirect_uri: `${redirectUri}/` }],
    ['another port', { redirect_uri: redirectUri.replace(':1/', ':2/') }],
    ['no redirect URI', { redirect_uri: undefined }],
  ])('redirects nowhere for %s', async (_what, changes) => {
    const client = new RawClient(await serve());
    const response = await fetch(client.authorizationUrl(changes), { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test('redirects nowhere for a repeated parameter', async () => {
    const client = new RawClient(await serve());
    const response = await fetch(`${client.authorizationUrl()}&state=other`, {
      redirect: 'manual',
    });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test('redirects with access_denied when the user refuses', async () => {
    const server = await serve();
    server.decide({ isGranted: false });
    expect(await new RawClient(server).redirected()).toMatchObject({ error: 'access_denied' });
  });
});

describe('the exchange of a code', () => {
  test.each<[string, Changes, string]>([
    ['another verifier', { code_verifier: 'a'.repeat(43) }, 'invalid_grant'],
    ['a short verifier', { code_verifier: 'a' }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:2/' }, 'invalid_grant'],
    ['another resource', { resource: 'https://a.example/' }, 'invalid_target'],
    ['no resource', { resource: undefined }, 'invalid_target'],
    ['an unknown code', { code: 'unknown' }, 'invalid_grant'],
    ['an unknown client', { client_id: 'unknown' }, 'invalid_client'],
    ['an unknown grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['a grant that is not its own', { grant_type: 'client_credentials' }, 'unauthorized_client'],
    ['a secret', { client_secret: 'secret' }, 'invalid_client'],
  ])('with %s is refused', async (_what, changes, error) => {
    const client = new RawClient(await serve());
    expect((await client.exchange(changes)).json['error']).toBe(error);
    expect((await client.exchange()).status).toBe(200);
  });

  test('of another client is refused', async () => {
    const server = await serve();
    const { code } = await new RawClient(server, 'one').redirected();
    const refused = await new RawClient(server, 'two').exchange({ code });
    expect(refused.json['error']).toBe('invalid_grant');
  });

  test('for the second time is refused and revokes the tokens of the first', async () => {
    const server = await serve();
    const client = new RawClient(server);
    const { code } = await client.redirected();
    const { json } = await client.exchange({ code });
    expect(server.findAccess(String(json['access_token']))).toBeDefined();
    expect((await client.exchange({ code })).json['error']).toBe('invalid_grant');
    expect(server.findAccess(String(json['access_token']))).toBeUndefined();
    expect((await client.refresh(json['refresh_token'])).json['error']).toBe('invalid_grant');
  });

  test('after a minute is refused', async () => {
    let now = Date.now();
    const client = new RawClient(await serve({ now: () => now }));
    const { code } = await client.redirected();
    now += 60_001;
    expect((await client.exchange({ code })).json['error']).toBe('invalid_grant');
  });

  test('that is no form, has parameters in the query or repeats one is refused', async () => {
    const server = await serve();
    const url = `${server.issuer}/token`;
    const form = 'grant_type=a&client_id=b';
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const requests: [string, RequestInit][] = [
      [url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }],
      [`${url}?a=b`, { method: 'POST', body: form, headers: type }],
      [url, { method: 'POST', body: `${form}&grant_type=c`, headers: type }],
      [url, { method: 'POST', body: 'a'.repeat(70_000), headers: type }],
      [`${url}?${form}`, {}],
    ];
    for (const [address, init] of requests) {
      const response = await fetch(address, init);
      expect(await response.json()).toMatchObject({ error: 'invalid_request' });
    }
  });
});

describe('a refresh', () => {
  test('rotates the token; its reuse revokes all tokens of the grant', async () => {
    const server = await serve();
    const client = new RawClient(server);
    const { json: first } = await client.exchange();
    const { json: second } = await client.refresh(first['refresh_token']);
    expect(second['refresh_token']).not.toBe(first['refresh_token']);
    expect((await client.refresh(first['refresh_token'])).json['error']).toBe('invalid_grant');
    expect((await client.refresh(second['refresh_token'])).json['error']).toBe('invalid_grant');
    for (const { access_token: token } of [first, second])
      expect(server.findAccess(String(token))).toBeUndefined();
  });

  test.each<[string, Changes, string]>([
    ['another resource', { resource: 'https://a.example/' }, 'invalid_target'],
    ['more scopes', { scope: 'admin' }, 'invalid_scope'],
    ['an unknown token', { refresh_token: 'unknown' }, 'invalid_grant'],
  ])('with %s is refused', async (_what, changes, error) => {
    const client = new RawClient(await serve());
    const { json } = await client.exchange();
    expect((await client.refresh(json['refresh_token'], changes)).json['error']).toBe(error);
    expect((await client.refresh(json['refresh_token'])).status).toBe(200);
  });

  test('of another client is refused', async () => {
    const server = await serve();
    const { json } = await new RawClient(server, 'one').exchange();
    const refused = await new RawClient(server, 'two').refresh(json['refresh_token']);
    expect(refused.json['error']).toBe('invalid_grant');
  });
});

describe('a DPoP proof', () => {
  test.each<[string, {}, {}]>([
    ['another type', {}, { typ: 'JWT' }],
    ['another method', { htm: 'GET' }, {}],
    ['another URL', { htu: 'https://a.example/token' }, {}],
    ['no jti', { jti: undefined }, {}],
    ['an old time', { iat: secondsAfter(-120) }, {}],
    ['a future time', { iat: secondsAfter(120) }, {}],
    ['the hash of a token', { ath: 'a' }, {}],
    ['the digest of a body', { content_digest: 'sha-256=:a:' }, {}],
    ['no key', {}, { jwk: undefined }],
  ])('with %s is refused', async (_what, claims, header) => {
    const server = await serve();
    const client = new RawClient(server);
    const key = await RawKey.generate();
    const refused = await client.exchange({}, { dpop: await key.proof(server, claims, header) });
    expect(refused.json['error']).toBe('invalid_dpop_proof');
    const { json } = await client.exchange({}, { dpop: await key.proof(server) });
    expect(json['token_type']).toBe('DPoP');
  });

  test('of another key, for the second time, or missing is refused', async () => {
    const server = await serve({ dpop: { isRequired: true } });
    const client = new RawClient(server);
    const [key, other] = [await RawKey.generate(), await RawKey.generate()];
    const proof = await key.proof(server, {}, { jwk: other.jwk });
    const used = await key.proof(server);
    expect((await client.exchange({}, { dpop: used })).status).toBe(200);
    for (const headers of [{ dpop: proof }, { dpop: used }, {}])
      expect((await client.exchange({}, headers)).json['error']).toBe('invalid_dpop_proof');
  });

  test('needs the nonce of the server', async () => {
    const server = await serve({ dpop: { needsNonce: true } });
    const client = new RawClient(server);
    const key = await RawKey.generate();
    const refused = await client.exchange({}, { dpop: await key.proof(server) });
    expect(refused.json['error']).toBe('use_dpop_nonce');
    const nonce = refused.headers.get('dpop-nonce');
    const proof = await key.proof(server, { nonce });
    expect((await client.exchange({}, { dpop: proof })).status).toBe(200);
    server.dpop.rotateNonce();
    const late = await client.exchange({}, { dpop: await key.proof(server, { nonce }) });
    expect(late.json['error']).toBe('use_dpop_nonce');
  });

  test('binds the refresh token of a public client to the key', async () => {
    const server = await serve();
    const client = new RawClient(server);
    const key = await RawKey.generate();
    const { json } = await client.exchange({}, { dpop: await key.proof(server) });
    const thief = await client.refresh(json['refresh_token']);
    expect(thief.json['error']).toBe('invalid_dpop_proof');
  });

  test('of another key than that of the authorization is refused', async () => {
    const server = await serve();
    const client = new RawClient(server);
    const { code } = await client.redirected({ dpop_jkt: 'other' });
    const key = await RawKey.generate();
    const refused = await client.exchange({ code }, { dpop: await key.proof(server) });
    expect(refused.json['error']).toBe('invalid_dpop_proof');
  });
});

describe('a client with a private key', () => {
  const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

  test.each<[string, { readonly [claim: string]: unknown }]>([
    ['for another audience', { aud: 'https://a.example' }],
    ['for several audiences', { aud: ['ISSUER', 'https://a.example'] }],
    ['of another issuer', { iss: 'other' }],
    ['for another subject', { sub: 'other' }],
    ['without expiry', { exp: undefined }],
    ['that has expired', { exp: secondsAfter(-60) }],
    ['of another key', { key: 'other' }],
  ])('is refused with an assertion %s', async (_what, changes) => {
    const [key, other] = [await RawKey.generate(), await RawKey.generate()];
    const server = await serve();
    const client = new RawClient(server);
    const jwks = { keys: [{ ...key.jwk, alg: 'ES256' }] };
    const grantTypes = ['client_credentials'];
    const known = { clientId: 'k', authMethod: 'private_key_jwt', redirectUris: [], grantTypes };
    server.clients.add({ ...known, jwks });
    const right = {
      iss: 'k',
      sub: 'k',
      aud: server.issuer,
      iat: secondsAfter(0),
      exp: secondsAfter(60),
    };
    const request = async (claims: {}, signer = key) =>
      client.post('token', {
        grant_type: 'client_credentials',
        resource: server.resource,
        client_assertion_type: TYPE,
        client_assertion: await signer.sign(claims),
      });
    const { key: named, ...claims } = changes;
    const text = JSON.stringify({ ...right, ...claims }).replace('ISSUER', server.issuer);
    const refused = await request(JSON.parse(text) as {}, named === 'other' ? other : key);
    expect([refused.status, refused.json['error']]).toEqual([401, 'invalid_client']);
    const replayed = { ...right, jti: 'once' };
    expect((await request(replayed)).status).toBe(200);
    expect((await request(replayed)).json['error']).toBe('invalid_client');
  });
});

describe('a registration', () => {
  test.each<[string, {}, string]>([
    ['an http: redirect URI', { redirect_uris: ['http://a.example/'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://a.example/#b'] }, 'invalid_redirect_uri'],
    [
      'a loopback address for a web client',
      { redirect_uris: [redirectUri], application_type: 'web' },
      'invalid_redirect_uri',
    ],
    ['no redirect URI', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['an unknown method', { token_endpoint_auth_method: 'tls' }, 'invalid_client_metadata'],
  ])('with %s is refused', async (_what, changes, error) => {
    const server = await serve();
    const right = { redirect_uris: ['https://host.example/callback'] };
    const register = (metadata: {}) =>
      fetch(`${server.issuer}/register`, { method: 'POST', body: JSON.stringify(metadata) });
    expect((await register(right)).status).toBe(201);
    expect(await (await register({ ...right, ...changes })).json()).toMatchObject({ error });
  });
});

test('revocation and introspection know the tokens of the client only', async () => {
  const server = await serve();
  const client = new RawClient(server);
  const known = { redirectUris: [], authMethod: 'client_secret_post' };
  server.clients.add({ ...known, clientId: 'rs', clientSecret: 'secret' });
  const introspect = async (token: unknown, secret: string) => {
    const form = { token: String(token), client_id: 'rs', client_secret: secret };
    return (await client.post('introspect', form)).json;
  };
  const { json } = await client.exchange();
  const { access_token: access, refresh_token: refresh } = json;
  expect(await introspect(access, 'secret')).toMatchObject({ active: true, aud: server.resource });
  expect(await introspect(access, 'wrong')).toMatchObject({ error: 'invalid_client' });
  const revoke = (token: unknown, clientId: string) =>
    client.post('revoke', { token: String(token), client_id: clientId });
  const other = new RawClient(server, 'other');
  expect((await revoke(refresh, other.clientId)).json['error']).toBe('invalid_grant');
  expect((await revoke('unknown', client.clientId)).status).toBe(200);
  expect((await revoke(refresh, client.clientId)).status).toBe(200);
  expect(await introspect(access, 'secret')).toEqual({ active: false });
});

describe('a JWT as a grant', () => {
  const BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  const JAG = 'oauth-id-jag+jwt';

  test.each<[string, {}, string, string]>([
    ['of an unknown issuer', { iss: 'https://a.example' }, 'JWT', 'invalid_grant'],
    ['for another audience', { aud: 'https://a.example' }, 'JWT', 'invalid_grant'],
    ['without subject', { sub: undefined }, 'JWT', 'invalid_grant'],
    ['without expiry', { exp: undefined }, 'JWT', 'invalid_grant'],
    ['that has expired', { exp: secondsAfter(-60) }, 'JWT', 'invalid_grant'],
    ['that is an identity assertion of another client', { client_id: 'b' }, JAG, 'invalid_grant'],
    [
      'that is an identity assertion for another resource',
      { resource: 'https://a.example/' },
      JAG,
      'invalid_target',
    ],
  ])('%s is refused', async (_what, changes, typ, error) => {
    const key = await RawKey.generate();
    const keys = { keys: [{ ...key.jwk, alg: 'ES256' }] };
    const issuer = 'https://platform.example';
    const server = await serve({ assertionIssuers: { [issuer]: () => keys } });
    const client = new RawClient(server);
    const known = { redirectUris: [], authMethod: 'client_secret_post', grantTypes: [BEARER] };
    server.clients.add({ ...known, clientId: 'a', clientSecret: 'secret' });
    const right = {
      iss: issuer,
      sub: 'ann',
      aud: server.issuer,
      exp: secondsAfter(60),
      client_id: 'a',
      resource: server.resource,
      jti: 'once',
    };
    const grant = async (claims: {}) => {
      const response = await client.post('token', {
        grant_type: BEARER,
        client_id: 'a',
        client_secret: 'secret',
        resource: server.resource,
        assertion: await key.sign(claims, { typ }),
      });
      return response.json['error'] ?? response.status;
    };
    expect(await grant({ ...right, ...changes })).toBe(error);
    expect(await grant(right)).toBe(200);
    expect(await grant(right)).toBe('invalid_grant');
  });
});

test('a device code is polled slowly, used once, and by its client only', async () => {
  let now = Date.now();
  const server = await serve({ now: () => now });
  const client = new RawClient(server);
  const { json } = await client.post('device', {
    client_id: client.clientId,
    resource: server.resource,
  });
  const poll = async (changes: Changes = {}) => {
    const parameters = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: client.clientId,
      device_code: String(json['device_code']),
      resource: server.resource,
    };
    const response = await client.post('token', parameters, changes);
    return response.json['error'] ?? response.status;
  };
  expect(await poll()).toBe('authorization_pending');
  expect(await poll()).toBe('slow_down');
  now += 5000;
  expect(await poll()).toBe('authorization_pending');
  const other = new RawClient(server, 'other');
  expect(await poll({ client_id: other.clientId })).toBe('invalid_grant');
  expect(await poll({ resource: 'https://a.example/' })).toBe('invalid_target');
  expect(server.devices.enter('WRONG', true)).toBe(false);
  expect(server.devices.enter(String(json['user_code']), true)).toBe(true);
  now += 5000;
  expect(await poll()).toBe(200);
  expect(await poll()).toBe('invalid_grant');
});

test('old keys stay published until they are retired', async () => {
  const server = await serve();
  const keyIds = async (): Promise<number> => {
    const response = await fetch(`${server.issuer}/jwks`);
    return ((await response.json()) as { keys: unknown[] }).keys.length;
  };
  await server.keys.rotate();
  expect(await keyIds()).toBe(2);
  server.keys.retireOldKeys();
  expect(await keyIds()).toBe(1);
});
