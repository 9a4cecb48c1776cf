import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startProtectedServer } from '../oauth/testing/protected-server.ts';
import { startLoginService, type Json, type LoginService } from './testing/login-service.ts';

const LIMIT = { timeout: 20_000 };

test('a protected server asks for a login, and is ready after it', LIMIT, async () => {
  const { remote, untilState, request, logIn, log } = await startLoginService();
  expect(await untilState('needs_login')).toMatchObject({
    health: 'down',
    login: {
      issuer: remote.origin,
      resource: remote.url,
      scopes: ['read'],
      required_scopes: [],
      reason: 'no_tokens',
      methods: ['browser', 'device'],
    },
    error: expect.stringContaining('signalbox servers login far') as string,
  });
  const page = await logIn();
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('You are logged in');
  const ready = await untilState('ready');
  expect(ready).toMatchObject({ tool_count: 2, logged_in: { issuer: remote.origin } });
  expect(ready).not.toHaveProperty('login');
  expect(await request('GET', '/v1/tools')).toMatchObject({
    data: [{ name: 'far__read' }, { name: 'far__write' }],
  });
  for (const secret of remote.secrets) expect(log.join('\n')).not.toContain(secret);
});

async function itemOf(service: LoginService, runId: string): Promise<Json> {
  const { inbox } = await service.untilRun(runId, 'input_required');
  return (inbox as readonly Json[])[0] ?? {};
}

test('a run that names the server waits for the login and then uses it', LIMIT, async () => {
  const service = await startLoginService();
  const { untilRun, logIn, remote, startRun } = service;
  await service.untilState('needs_login');
  const id = await startRun({ servers: ['far'] });
  expect(await itemOf(service, id)).toMatchObject({
    kind: 'server_login',
    state: 'open',
    request: { server: 'far', issuer: remote.origin, scopes: ['read'], reason: 'no_tokens' },
  });
  await logIn();
  await untilRun(id, 'completed');
  expect(remote.calls).toEqual(['read']);
});

test.each(['modern', 'legacy'])(
  'a call waits for a new login when the last one has ended, %s',
  LIMIT,
  async (era) => {
    const signalbox = { approval: 'auto', trust: true, era };
    const service = await startLoginService({ entry: { signalbox } });
    const { request, untilRun, untilState, logIn, remote, startRun } = service;
    await untilState('needs_login');
    await logIn();
    await untilState('ready');
    remote.revoke();
    const id = await startRun();
    expect(await itemOf(service, id)).toMatchObject({
      kind: 'server_login',
      call_id: expect.any(String) as string,
      request: { server: 'far', name: 'far__read', reason: 'refresh_refused' },
    });
    expect(await request('GET', '/v1/servers/far')).toMatchObject({ state: 'needs_login' });
    await logIn();
    await untilRun(id, 'completed');
    expect(remote.calls).toEqual(['read']);
  },
);

test('an expired token is refreshed, and nobody is asked', LIMIT, async () => {
  const { request, untilRun, untilState, logIn, remote, startRun } = await startLoginService();
  await untilState('needs_login');
  await logIn();
  await untilState('ready');
  remote.expire();
  const id = await startRun();
  await untilRun(id, 'completed');
  expect(remote.calls).toEqual(['read']);
  expect(await request('GET', '/v1/inbox')).toMatchObject({ data: [] });
});

test('a call that needs another scope waits for a login that grants it', LIMIT, async () => {
  const service = await startLoginService();
  const { request, untilRun, untilState, logIn, remote, startRun } = service;
  await untilState('needs_login');
  await logIn();
  await untilState('ready');
  remote.needed = ['read', 'admin'];
  const id = await startRun();
  expect(await itemOf(service, id)).toMatchObject({
    request: { reason: 'insufficient_scope', required_scopes: ['read', 'admin'] },
  });
  // The server is ready for other calls.
  expect(await request('GET', '/v1/servers/far')).toMatchObject({
    state: 'ready',
    login: { reason: 'insufficient_scope', required_scopes: ['read', 'admin'] },
  });
  await logIn();
  await untilRun(id, 'completed');
  expect(await request('GET', '/v1/servers/far')).not.toHaveProperty('login');
});

test('a server that asks for a login again and again is not asked forever', LIMIT, async () => {
  const service = await startLoginService();
  const { untilRun, untilState, logIn, remote, startRun } = service;
  await untilState('needs_login');
  await logIn();
  await untilState('ready');
  remote.needed = ['never-granted'];
  remote.withheld = ['never-granted'];
  const id = await startRun();
  const seen = new Set<unknown>();
  for (let asked = 0; asked < 10; asked += 1) {
    const run = await untilRun(id, 'input_required|completed');
    if (run['status'] === 'completed') break;
    const item = await itemOf(service, id);
    if (seen.has(item['id'])) continue;
    seen.add(item['id']);
    await logIn();
  }
  const { answer } = await untilRun(id, 'completed');
  expect(answer).toContain('The tool failed');
  expect(seen.size).toBeLessThanOrEqual(3);
  expect(remote.calls).toEqual([]);
});

test('a person who declines lets the run go on without the server', LIMIT, async () => {
  const service = await startLoginService();
  const { request, untilRun, untilState, remote, startRun } = service;
  await untilState('needs_login');
  const id = await startRun({ servers: ['far'] });
  const item = await itemOf(service, id);
  await request('POST', `/v1/inbox/${String(item['id'])}/respond`, { action: 'decline' });
  await untilRun(id, 'completed');
  expect(remote.calls).toEqual([]);
});

test('a logout deletes and revokes the tokens, and the server needs a login', LIMIT, async () => {
  const { app, request, untilState, logIn, remote } = await startLoginService();
  await untilState('needs_login');
  await logIn();
  await untilState('ready');
  expect(await request('DELETE', '/v1/servers/far/login')).toEqual({ is_revoked: true });
  expect(await untilState('needs_login')).not.toHaveProperty('logged_in');
  expect(remote.requests).toContain('/revoke');
  expect(app.dispatcher.tools()).toEqual([]);
});

test('a login with a code on another device', LIMIT, async () => {
  const { request, untilState, remote } = await startLoginService();
  await untilState('needs_login');
  const begun = await request('POST', '/v1/servers/far/login', { method: 'device' });
  expect(begun).toMatchObject({ method: 'device', url: `${remote.origin}/enter` });
  remote.enter(String(begun['user_code']));
  await untilState('ready');
});

test('a redirect is accepted once, and only with the state of a login', LIMIT, async () => {
  const { untilState, remote, url, beginLogin } = await startLoginService();
  await untilState('needs_login');
  const address = await beginLogin();
  const page = await remote.consent(address);
  const again = await fetch(page.url);
  expect([page.status, again.status]).toEqual([200, 400]);
  expect(await again.text()).toContain('Unknown login');
  const forged = await fetch(`${url}/v1/oauth/callback?state=forged&code=x`);
  expect(forged.status).toBe(400);
  expect(remote.requests.filter((path) => path === '/token')).toHaveLength(1);
});

test('a redirect of another authorization server is refused', LIMIT, async () => {
  const { request, untilState, remote, beginLogin } = await startLoginService();
  await untilState('needs_login');
  const address = await beginLogin();
  remote.redirectIssuer = 'https://evil.example';
  expect(await (await remote.consent(address)).text()).toContain('The login failed');
  expect(remote.requests).not.toContain('/token');
  expect(await request('GET', '/v1/servers/far')).toMatchObject({ state: 'needs_login' });
});

test('the page of a redirect loads nothing, runs nothing and is not stored', LIMIT, async () => {
  const { untilState, logIn } = await startLoginService();
  await untilState('needs_login');
  const { headers } = await logIn();
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-/u,
  );
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
  });
});

test('a login that the user refuses leaves the server as it is', LIMIT, async () => {
  const { request, untilState, remote, beginLogin } = await startLoginService();
  await untilState('needs_login');
  const address = await beginLogin();
  remote.isRefused = true;
  expect(await (await remote.consent(address)).text()).toContain('You are not logged in');
  expect(await request('GET', '/v1/servers/far')).toMatchObject({ state: 'needs_login' });
});

test('logins are kept by the next process, which needs no new one', LIMIT, async () => {
  const remote = await startProtectedServer();
  onTestFinished(() => remote.close());
  const dataDir = await mkdtemp(join(tmpdir(), 'logins-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  const first = await startLoginService({ remote, dataDir });
  await first.untilState('needs_login');
  await first.logIn();
  await first.untilState('ready');
  await first.app.close();
  remote.expire();
  const second = await startLoginService({ remote, dataDir });
  await second.untilState('ready');
  // The tokens were refreshed as the client that they were issued to.
  expect(remote.requests.filter((path) => path === '/register')).toHaveLength(1);
});

test('a server with a configured token has no logins', LIMIT, async () => {
  const { request, untilState } = await startLoginService({
    entry: { headers: { Authorization: 'Bearer old' } },
  });
  expect(await untilState('failed')).not.toHaveProperty('login');
  expect(await request('POST', '/v1/servers/far/login')).toMatchObject({
    status: 409,
    code: 'login_unsupported',
  });
});

test(
  'a new key encrypts the stored logins again, after which the old one is not needed',
  LIMIT,
  async () => {
    const remote = await startProtectedServer();
    onTestFinished(() => remote.close());
    const dataDir = await mkdtemp(join(tmpdir(), 'logins-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const [old, current] = [1, 2].map((fill) => Buffer.alloc(32, fill).toString('base64'));
    const start = (key: string | undefined): Promise<LoginService> =>
      startLoginService({ remote, dataDir, env: { SIGNALBOX_SECRET_KEY: key } });
    const first = await start(old);
    await first.untilState('needs_login');
    await first.logIn();
    await first.untilState('ready');
    await first.app.close();
    const rotated = await start(`${current},${old}`);
    await rotated.untilState('ready');
    await expect.poll(() => rotated.log.join('\n')).toContain('encrypted with the new key');
    await rotated.app.close();
    const later = await start(current);
    await later.untilState('ready');
    await later.app.close();
    // Without the key the service asks again, and says why.
    const without = await start(old);
    await without.untilState('needs_login');
    expect(without.log.join('\n')).toContain('cannot be decrypted');
  },
);

test(
  'a service that acts for itself needs no login, and gets another token when one expires',
  LIMIT,
  async () => {
    const remote = await startProtectedServer();
    onTestFinished(() => remote.close());
    const auth = {
      issuer: remote.origin,
      clientId: 'machine',
      clientSecret: 'machine-secret',
      grant: 'client-credentials',
    };
    const signalbox = { approval: 'auto', trust: true, auth };
    const { request, startRun, untilRun, untilState, log } = await startLoginService({
      remote,
      entry: { signalbox },
    });
    await untilState('ready');
    remote.expire();
    await untilRun(await startRun(), 'completed');
    expect(remote.calls).toEqual(['read']);
    expect(remote.requests.filter((path) => path === '/token')).toHaveLength(2);
    expect(await request('POST', '/v1/servers/far/login')).toMatchObject({ status: 409 });
    expect(log.join('\n')).not.toContain('machine-secret');
  },
);

test('redirects go to the public address, whose host name is accepted', LIMIT, async () => {
  const { beginLogin, untilState, url } = await startLoginService({
    config: { public_url: 'https://agent.example/box' },
  });
  await untilState('needs_login');
  const { searchParams } = new URL(await beginLogin());
  expect(searchParams.get('redirect_uri')).toBe('https://agent.example/box/v1/oauth/callback');
  const statusFor = async (host: string): Promise<number | undefined> => {
    const request = get(`${url}/v1/oauth/callback?state=none`, { headers: { host } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  expect([await statusFor('agent.example'), await statusFor('evil.example')]).toEqual([400, 403]);
});

test('without an address for redirects a login needs a code', LIMIT, async () => {
  const { request, untilState, remote } = await startLoginService({
    config: { host: '0.0.0.0' },
    env: { SIGNALBOX_TOKEN: 'token' },
  });
  await untilState('needs_login');
  expect(await request('POST', '/v1/servers/far/login', { method: 'browser' })).toMatchObject({
    code: 'login_unsupported',
    detail: expect.stringContaining('set public_url') as string,
  });
  const begun = await request('POST', '/v1/servers/far/login');
  expect(begun).toMatchObject({ method: 'device', url: `${remote.origin}/enter` });
});

test(
  'a person logs in to a server that was added by REST, and the login is deleted with the server',
  LIMIT,
  async () => {
    const { url, remote, logIn, startRun, untilRun, untilState, request } = await startLoginService(
      { config: { mcpServers: {}, edit_servers: 'remote' } },
    );
    const add = async (): Promise<number> => {
      const definition = { url: remote.url, signalbox: { trust: true, approval: 'auto' } };
      const { status } = await fetch(`${url}/v1/servers/far/config`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', 'if-none-match': '*' },
        body: JSON.stringify(definition),
      });
      return status;
    };
    expect(await add()).toBe(201);
    await untilState('needs_login');
    await logIn();
    await untilState('ready');
    await untilRun(await startRun(), 'completed');
    expect(await request('GET', '/v1/servers/far')).toHaveProperty('logged_in');
    expect((await fetch(`${url}/v1/servers/far`, { method: 'DELETE' })).status).toBe(204);
    await expect.poll(async () => (await request('GET', '/v1/servers'))['data'], LIMIT).toEqual([]);
    expect(await add()).toBe(201);
    await untilState('needs_login');
  },
);
