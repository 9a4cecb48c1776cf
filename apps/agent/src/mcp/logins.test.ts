import { AuthorizationError, type LoginRequest } from '@signalbox/mcp-core/auth';
import { LocalError } from '@signalbox/mcp-core';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RemoteServerConfig } from '../config/config.ts';
import { sharedChecks } from '../schema/testing/shared-checks.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import type { LoginMark } from './server-authorizations.ts';
import { createServerPool, type ServerPool } from './server-pool.ts';
import { FakeServer } from './testing/fake-server.ts';
import {
  callRequest,
  recordingLogger,
  serverConfig,
  statusOf,
  toolNamed,
} from './testing/pool-fixture.ts';

const LOGIN: LoginRequest = {
  server: 'https://mcp.example/mcp',
  issuer: 'https://as.example',
  resource: 'https://mcp.example/mcp',
  scopes: ['read'],
  challengedScopes: [],
  reason: 'no-tokens',
  methods: ['browser'],
};

interface Fixture {
  readonly pool: ServerPool;
  readonly clock: ManualClock;
  readonly fake: FakeServer;
  /** Number of connections that were tried. */
  readonly tries: () => number;
  /** Whether somebody is logged in. */
  readonly set: (mark: LoginMark & { readonly isAccepted: boolean }) => void;
  readonly forgotten: readonly string[];
}

/** A pool with the remote server `far`, which accepts connections of a person who is logged in. */
function fixture(held: ReadonlySet<string> = new Set()): Fixture {
  const { command: _, args: _args, env: _env, cwd: _cwd, ...rules } = serverConfig('far');
  const config: RemoteServerConfig = {
    ...rules,
    transport: 'http',
    url: LOGIN.server,
    headers: {},
  };
  const clock = new ManualClock();
  const fake = new FakeServer(toolNamed('read'));
  let tries = 0;
  let current: (LoginMark & { readonly isAccepted: boolean }) | undefined;
  const forgotten: string[] = [];
  const refusal = new AuthorizationError('user-needed', 'a user must log in', { login: LOGIN });
  const pool = createServerPool({
    servers: [config],
    clientInfo: { name: 'signalbox', version: '0' },
    logger: recordingLogger(),
    clock,
    random: () => 0,
    schemas: sharedChecks,
    held,
    authorizations: {
      of: () => Promise.resolve(undefined),
      marks: () => Promise.resolve(new Map(current === undefined ? [] : [['far', current]])),
      forget: (server) => void forgotten.push(server),
    },
    connect: (server, options) => {
      tries += 1;
      if (current?.isAccepted === true) return fake.connect(server, options);
      return Promise.reject(new LocalError('connect-failed', 'refused', { cause: refusal }));
    },
  });
  onTestFinished(() => pool.close());
  pool.start();
  return { pool, clock, fake, tries: () => tries, set: (mark) => void (current = mark), forgotten };
}

const LOGGED_IN = { revision: 'r1', isLoggedIn: true, isAccepted: true };
const LOGGED_OUT = { revision: 'r2', isLoggedIn: false, isAccepted: false };

test('a server that needs a login is not connected again until there is one', async () => {
  const { pool, clock, tries, set } = fixture();
  expect(await statusOf(pool, 'far', ({ state }) => state === 'needs_login')).toMatchObject({
    login: LOGIN,
    error: expect.stringContaining('POST /v1/servers/far/login') as string,
  });
  clock.advance(3_600_000);
  await pool.lookForLogins();
  expect(tries()).toBe(1);
  set(LOGGED_IN);
  await pool.lookForLogins();
  await statusOf(pool, 'far', ({ state }) => state === 'ready');
  await pool.lookForLogins();
  expect(tries()).toBe(2);
});

test('a login that is not accepted leads to the next one, without a loop', async () => {
  const { pool, tries, set } = fixture();
  await statusOf(pool, 'far', ({ state }) => state === 'needs_login');
  set({ ...LOGGED_IN, isAccepted: false });
  await pool.lookForLogins();
  await pool.settled(1000);
  for (let looks = 0; looks < 5; looks += 1) await pool.lookForLogins();
  expect(pool.servers()).toMatchObject([{ state: 'needs_login', login: LOGIN }]);
  expect(tries()).toBe(2);
});

test('a logout ends the connection and forgets the tokens in memory', async () => {
  const { pool, set, forgotten } = fixture();
  await statusOf(pool, 'far', ({ state }) => state === 'needs_login');
  set(LOGGED_IN);
  await pool.useLogins(['far'], new AbortController().signal);
  expect(pool.servers()).toMatchObject([{ state: 'ready' }]);
  set(LOGGED_OUT);
  await pool.lookForLogins();
  await statusOf(pool, 'far', ({ state }) => state === 'needs_login');
  expect(forgotten).toEqual(['far']);
});

test('logins and logouts connect no server that was drained or that another worker owns', async () => {
  const drained = fixture();
  await statusOf(drained.pool, 'far', ({ state }) => state === 'needs_login');
  await drained.pool.control('far')?.drain('now');
  const held = fixture(new Set(['far']));
  for (const mark of [LOGGED_IN, LOGGED_OUT])
    for (const { pool, set } of [drained, held]) {
      set(mark);
      await pool.lookForLogins();
    }
  expect(drained.pool.servers()).toMatchObject([{ state: 'drained' }]);
  expect([drained.tries(), held.tries()]).toEqual([1, 0]);
});

test('a call is refused with the login that it needs, and sent once there is one', async () => {
  const { pool, set, fake } = fixture();
  set(LOGGED_IN);
  await pool.lookForLogins();
  await statusOf(pool, 'far', ({ state }) => state === 'ready');
  set(LOGGED_OUT);
  await pool.lookForLogins();
  await statusOf(pool, 'far', ({ state }) => state === 'needs_login');
  expect(await pool.call(callRequest('far__read'))).toMatchObject({
    type: 'not-sent',
    login: LOGIN,
  });
  set({ ...LOGGED_IN, revision: 'r3' });
  // The call itself looks for the login, before the next look of the service.
  void pool.call(callRequest('far__read'));
  await vi.waitFor(() => expect(fake.calls).toHaveLength(1));
});
