import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { LocalError } from '../protocol/errors.ts';
import {
  authorizedAt,
  metadataOf,
  scriptedAuthorizationServer,
  TOKENS,
  type Arrival,
  type Reply,
  type Routes,
  type ScriptedAuthorizationServer,
} from './authorization-server.test.support.ts';
import { AuthorizationError, loginRequestOf } from './authorization-error.ts';
import {
  beginDeviceLogin,
  beginLogin,
  finishDeviceLogin,
  finishLogin,
  logOut,
  type LoginOptions,
  type PendingDeviceLogin,
  type PendingLogin,
} from './login.ts';
import { MemoryTokenStore } from './token-store.ts';

const METADATA = '/.well-known/oauth-authorization-server';
const redirectUri = 'http://127.0.0.1:1/callback';

/** Returns a value as another process reads it. */
function stored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function redirectOf(pending: PendingLogin, parameters: { readonly [name: string]: string } = {}) {
  const { state, key } = pending;
  const all = { code: 'code-secret', state, iss: key.issuer, ...parameters };
  return `${redirectUri}?${new URLSearchParams(all).toString()}`;
}

const optionsOf = (): LoginOptions & { readonly store: MemoryTokenStore } => ({
  store: new MemoryTokenStore(),
  redirectUri,
  principal: 'ann',
});

describe('a client that asks nobody', () => {
  const userless = { user: { redirectUri } };

  test('fails with the login that the server needs', async () => {
    const server = await scriptedAuthorizationServer((origin) => ({
      [METADATA]: () => ({
        ...metadataOf(origin),
        device_authorization_endpoint: `${origin}/device`,
      }),
    }));
    const { refuse } = authorizedAt(server, userless);
    const error: unknown = await refuse({ challenge: 'Bearer scope="a b"' }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: 'user-needed' });
    const wrapped = new LocalError('connect-failed', 'Refused.', { cause: error });
    expect(loginRequestOf(wrapped)).toEqual({
      server: server.mcp,
      issuer: server.origin,
      resource: server.mcp,
      scopes: ['a', 'b'],
      challengedScopes: ['a', 'b'],
      reason: 'no-tokens',
      methods: ['browser', 'device'],
      metadataUrl: undefined,
      isDpop: false,
    });
    expect(server.count('/register')).toBe(0);
  });

  test('uses the tokens of a login that another process has finished', async () => {
    const server = await scriptedAuthorizationServer();
    const options = optionsOf();
    const { refuse, headers } = authorizedAt(server, { ...userless, ...options });
    const error = await refuse({ challenge: 'Bearer scope="a"' }).catch(
      (reason: unknown) => reason,
    );
    const { url, pending } = await beginLogin(stored(loginRequestOf(error)!), options);
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      scope: 'a',
      resource: server.mcp,
      code_challenge_method: 'S256',
      state: pending.state,
    });
    expect(url).not.toContain(pending.codeVerifier);

    const key = await finishLogin(stored(pending), redirectOf(pending), options);
    expect(key).toEqual({ issuer: server.origin, resource: server.mcp, principal: 'ann' });
    expect(await refuse()).toBe(true);
    expect(await headers()).toEqual({ Authorization: 'Bearer access-secret-1' });
    expect([server.count('/token'), server.count('/register')]).toEqual([1, 1]);
  });

  test('names the scopes of a step-up, and continues when they were granted', async () => {
    const server = await scriptedAuthorizationServer();
    const options = optionsOf();
    const { refuse } = authorizedAt(server, { ...userless, ...options });
    const logIn = async (login: { readonly server: string }): Promise<void> => {
      const { pending } = await beginLogin(login, options);
      await finishLogin(pending, redirectOf(pending), options);
    };
    await logIn({ server: server.mcp });
    await refuse();
    const stepUp = { status: 403, challenge: 'Bearer error="insufficient_scope", scope="write"' };
    const error = await refuse(stepUp).catch((reason: unknown) => reason);
    const login = loginRequestOf(error)!;
    expect(login).toMatchObject({
      reason: 'insufficient-scope',
      scopes: ['write'],
      challengedScopes: ['write'],
    });
    await expect(refuse(stepUp)).rejects.toMatchObject({ code: 'user-needed' });
    await expect(refuse(stepUp)).rejects.toMatchObject({ code: 'user-needed' });

    const { access_token: _old, ...tokens } = TOKENS;
    const granted = { ...tokens, accessToken: 'with-write', tokenType: 'Bearer' as const };
    await options.store.writeTokens(
      { issuer: server.origin, resource: server.mcp, principal: 'ann' },
      { ...granted, requestedScopes: ['write'], scopes: ['write'], clientId: 'registered' },
    );
    expect(await refuse(stepUp)).toBe(true);
  });

  test('fails with a login when the refresh token was revoked, and sends it once', async () => {
    const server = await scriptedAuthorizationServer(() => ({
      '/token': ({ form }) =>
        form.get('grant_type') === 'refresh_token'
          ? { status: 400, json: { error: 'invalid_grant' } }
          : TOKENS,
    }));
    const options = optionsOf();
    const { refuse } = authorizedAt(server, { ...userless, ...options });
    const { pending } = await beginLogin({ server: server.mcp, scopes: ['a'] }, options);
    const key = await finishLogin(pending, redirectOf(pending), options);
    expect(await refuse()).toBe(true);
    const first = await refuse({ challenge: 'Bearer scope="b"' }).catch(
      (reason: unknown) => reason,
    );
    expect(loginRequestOf(first)).toMatchObject({ reason: 'refresh-refused', scopes: ['a', 'b'] });
    expect(await options.store.readTokens(key)).toBeUndefined();
    const second = await refuse().catch((reason: unknown) => reason);
    expect(loginRequestOf(second)?.reason).toBe('no-tokens');
    expect(server.count('/token')).toBe(2);
  });

  test('keeps its tokens when the authorization server cannot refresh at the moment', async () => {
    let isBusy = true;
    const server = await scriptedAuthorizationServer(() => ({
      '/token': ({ form }) =>
        isBusy && form.get('grant_type') === 'refresh_token'
          ? { status: 400, json: { error: 'temporarily_unavailable' } }
          : TOKENS,
    }));
    const options = optionsOf();
    const { refuse } = authorizedAt(server, { ...userless, ...options });
    const { pending } = await beginLogin({ server: server.mcp }, options);
    const key = await finishLogin(pending, redirectOf(pending), options);
    await refuse();
    await expect(refuse()).rejects.toMatchObject({ oauthError: 'temporarily_unavailable' });
    expect(await options.store.readTokens(key)).toBeDefined();
    isBusy = false;
    expect(await refuse()).toBe(true);
  });
});

test.each([
  [{ server: 'mcp.example' }, {}, 'server is "mcp.example"'],
  [{ server: 'file:///etc/passwd' }, {}, 'server is "file:///etc/passwd"'],
  [{ server: 'https://mcp.example' }, { redirectUri: 'http://a.example/' }, 'redirectUri is'],
  [
    { server: 'https://mcp.example' },
    { registration: { metadataUrl: 'https://a.example' } },
    'registration.metadataUrl is',
  ],
])('a login with the URLs of %j and %j is refused', async (target, changes, message) => {
  await expect(beginLogin(target, { ...optionsOf(), ...changes })).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining(message) as string,
  });
});

test('logins that begin at the same time register one client', async () => {
  const server = await scriptedAuthorizationServer();
  const options = optionsOf();
  const begun = await Promise.all([1, 2, 3].map(() => beginLogin({ server: server.mcp }, options)));
  expect(new Set(begun.map(({ pending }) => pending.state)).size).toBe(3);
  expect(server.count('/register')).toBe(1);
});

describe('the redirect of a login', () => {
  test.each([
    ['another state', { state: 'other' }, 'redirect-invalid'],
    ['another issuer', { iss: 'https://evil.example' }, 'redirect-invalid'],
    ['an error', { error: 'access_denied' }, 'authorization-refused'],
  ])('with %s is refused, and nothing is sent or stored', async (_what, parameters, code) => {
    const server = await scriptedAuthorizationServer();
    const options = optionsOf();
    const { pending } = await beginLogin({ server: server.mcp }, options);
    const finished = finishLogin(pending, redirectOf(pending, parameters), options);
    await expect(finished).rejects.toMatchObject({ code });
    expect(server.count('/token')).toBe(0);
    expect(await options.store.readTokens(pending.key)).toBeUndefined();
  });

  test('is refused when the host is another client since', async () => {
    const server = await scriptedAuthorizationServer();
    const { pending } = await beginLogin({ server: server.mcp }, optionsOf());
    const registration = { clients: [{ issuer: server.origin, clientId: 'other' }] };
    const finished = finishLogin(pending, redirectOf(pending), { ...optionsOf(), registration });
    await expect(finished).rejects.toMatchObject({ code: 'no-client' });
    const emptyStore = optionsOf();
    await expect(finishLogin(pending, redirectOf(pending), emptyStore)).rejects.toMatchObject({
      code: 'no-client',
    });
    expect([server.count('/token'), server.count('/register')]).toEqual([0, 1]);
  });

  test('finishes a login at a server of 2025-03-26 without metadata', async () => {
    const server = await scriptedAuthorizationServer(() => ({
      '/.well-known/oauth-protected-resource/mcp': () => undefined,
      [METADATA]: () => undefined,
    }));
    const options = optionsOf();
    const { pending } = await beginLogin({ server: server.mcp }, options);
    await finishLogin(stored(pending), redirectOf(pending), options);
    expect(await options.store.readTokens(pending.key)).toMatchObject({
      accessToken: 'access-secret-1',
    });
  });
});

describe('a login by a device code', () => {
  const DEVICE = {
    device_code: 'device-secret',
    user_code: 'WDJB-MJHT',
    verification_uri: 'http://127.0.0.1:1/device',
    expires_in: 600,
  };

  const deviceServer = (
    answers: readonly Reply[],
    device: { readonly [name: string]: unknown } = {},
  ): Promise<ScriptedAuthorizationServer> => {
    const left = [...answers];
    return scriptedAuthorizationServer((origin): Routes => ({
      [METADATA]: () => ({
        ...metadataOf(origin),
        device_authorization_endpoint: `${origin}/device`,
      }),
      '/device': () => ({ ...DEVICE, ...device }),
      '/token': (): Reply => left.shift() ?? TOKENS,
    }));
  };
  const atOnce = (pending: PendingDeviceLogin): PendingDeviceLogin => ({
    ...stored(pending),
    intervalMs: 0,
  });
  const failure = (error: string): Reply => ({ status: 400, json: { error } });

  test('waits for the user and stores the tokens', async () => {
    const server = await deviceServer([failure('authorization_pending')]);
    const options = optionsOf();
    const login = await beginDeviceLogin({ server: server.mcp, scopes: ['a'] }, options);
    expect(login).toMatchObject({
      userCode: 'WDJB-MJHT',
      verificationUri: DEVICE.verification_uri,
    });
    const asked = server.arrivals.find(({ path }) => path === '/device');
    expect(asked?.form.get('resource')).toBe(server.mcp);
    expect(asked?.form.get('scope')).toBe('a');
    const registered = server.arrivals.find(({ path }) => path === '/register');
    expect(registered?.body).toContain('urn:ietf:params:oauth:grant-type:device_code');

    const key = await finishDeviceLogin(atOnce(login.pending), options);
    expect(await options.store.readTokens(key)).toMatchObject({ scopes: ['a'] });
    const polls = server.arrivals.filter(({ path }) => path === '/token');
    expect(polls.map(({ form }) => [form.get('device_code'), form.get('resource')])).toEqual([
      ['device-secret', server.mcp],
      ['device-secret', server.mcp],
    ]);
  });

  test('asks 5 seconds later when the server demands it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    // A spy would be restored after the file, when the fake function must be gone.
    const fake = globalThis.setTimeout;
    const waits: unknown[] = [];
    globalThis.setTimeout = Object.assign((...args: Parameters<typeof setTimeout>) => {
      waits.push(args[1]);
      return fake(...args);
    }, fake);
    const server = await deviceServer([failure('slow_down')], { interval: 2 });
    const options = optionsOf();
    const { pending } = await beginDeviceLogin({ server: server.mcp }, options);
    const finished = finishDeviceLogin(pending, options);
    for (const durationMs of [2000, 7000]) {
      await vi.waitFor(() => expect(waits.at(-1)).toBe(durationMs));
      await vi.advanceTimersByTimeAsync(durationMs);
    }
    await finished;
  });

  test.each([
    ['access_denied', 'The user refused the login'],
    ['expired_token', 'did not enter the code'],
  ])('ends with the error %s', async (error, message) => {
    const server = await deviceServer([failure(error)]);
    const options = optionsOf();
    const { pending } = await beginDeviceLogin({ server: server.mcp }, options);
    const finished = finishDeviceLogin(atOnce(pending), options);
    await expect(finished).rejects.toMatchObject({
      code: 'authorization-refused',
      oauthError: error,
    });
    await expect(finished).rejects.toThrow(message);
  });

  test('ends at the end of the life of the code and when it is aborted', async () => {
    const server = await deviceServer([]);
    const options = optionsOf();
    const { pending } = await beginDeviceLogin({ server: server.mcp }, options);
    const late: PendingDeviceLogin = { ...pending, expiresAt: Date.now() - 1 };
    await expect(finishDeviceLogin(late, options)).rejects.toThrow('did not enter the code');
    const signal = AbortSignal.abort(new Error('shutdown'));
    await expect(finishDeviceLogin(pending, { ...options, signal })).rejects.toThrow('shutdown');
    expect(server.count('/token')).toBe(0);
  });

  test('is refused without a device endpoint, and with an unsafe address for the user', async () => {
    const without = await scriptedAuthorizationServer();
    await expect(beginDeviceLogin({ server: without.mcp }, optionsOf())).rejects.toMatchObject({
      code: 'discovery-failed',
    });
    const server = await deviceServer([], { verification_uri: 'javascript:alert(1)' });
    await expect(beginDeviceLogin({ server: server.mcp }, optionsOf())).rejects.toMatchObject({
      code: 'address-refused',
    });
  });
});

describe('a logout', () => {
  const revoking = (reply: (arrival: Arrival) => Reply) =>
    scriptedAuthorizationServer((origin) => ({
      [METADATA]: () => ({ ...metadataOf(origin), revocation_endpoint: `${origin}/revoke` }),
      '/revoke': reply,
    }));

  const loggedIn = async (server: ScriptedAuthorizationServer, options: LoginOptions) => {
    const { pending } = await beginLogin({ server: server.mcp }, options);
    return finishLogin(pending, redirectOf(pending), options);
  };

  test('deletes the tokens and revokes the refresh token, then the access token', async () => {
    const server = await revoking(() => ({}));
    const options = optionsOf();
    const key = await loggedIn(server, options);
    expect(await logOut(key, options)).toEqual({ isRevoked: true });
    expect(await options.store.readTokens(key)).toBeUndefined();
    const revoked = server.arrivals.filter(({ path }) => path === '/revoke');
    expect(revoked.map(({ form }) => [form.get('token'), form.get('token_type_hint')])).toEqual([
      ['refresh-secret-1', 'refresh_token'],
      ['access-secret-1', 'access_token'],
    ]);
  });

  test('deletes the tokens also when they cannot be revoked', async () => {
    const failing = await revoking(() => ({ status: 503, json: {} }));
    const without = await scriptedAuthorizationServer();
    for (const server of [failing, without]) {
      const options = optionsOf();
      const key = await loggedIn(server, options);
      expect(await logOut(key, options)).toEqual({ isRevoked: false });
      expect(await options.store.readTokens(key)).toBeUndefined();
    }
  });
});

test('a login request is found behind causes only, and errors without one have none', () => {
  const circular = new Error('a');
  circular.cause = circular;
  for (const error of [undefined, 'text', circular, new AuthorizationError('no-client', 'None.')])
    expect(loginRequestOf(error)).toBeUndefined();
});
