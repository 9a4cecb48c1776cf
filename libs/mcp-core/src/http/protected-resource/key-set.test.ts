import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  protectedPeer,
  testIssuer,
  testKey,
  type ProtectedPeer,
  type TestIssuer,
} from './test-issuer.test.support.ts';

const MINUTE_MS = 60_000;

let issuer: TestIssuer;
let peer: ProtectedPeer;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  issuer = await testIssuer();
  peer = await protectedPeer(issuer);
});

afterEach(() => {
  vi.useRealTimers();
});

async function statusOf(key = issuer.firstKey): Promise<number> {
  return (await peer.bearer(await issuer.token({}, { key }))).status;
}

function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

describe('the keys of the issuer', () => {
  test('are fetched once for many tokens', async () => {
    for (let count = 0; count < 5; count += 1) await expect(statusOf()).resolves.toBe(200);
    expect(issuer.keyFetches).toBe(1);
  });

  test('are fetched again for an unknown key, at most every 30 seconds', async () => {
    await expect(statusOf()).resolves.toBe(200);
    const [old] = issuer.keys;
    const added = await testKey();
    issuer.keys = [old!, added];
    const atOnce = await Promise.all([1, 2, 3].map(() => statusOf(added)));
    expect(atOnce).toEqual([200, 200, 200]);
    await expect(statusOf(old)).resolves.toBe(200);
    expect(issuer.keyFetches).toBe(2);
    const unknown = await testKey();
    for (let count = 0; count < 5; count += 1) await expect(statusOf(unknown)).resolves.toBe(401);
    expect(issuer.keyFetches).toBe(2);
    pass(30_000);
    issuer.answers = { '/jwks': 500 };
    await expect(statusOf(unknown)).resolves.toBe(503);
    await expect(statusOf(unknown)).resolves.toBe(401);
    expect(issuer.keyFetches).toBe(3);
    issuer.answers = {};
    pass(5000);
    const statuses = await Promise.all([1, 2, 3].map(() => statusOf(unknown)));
    expect(statuses).toEqual([401, 401, 401]);
    expect(issuer.keyFetches).toBe(4);
    await expect(statusOf(unknown)).resolves.toBe(401);
    expect(issuer.keyFetches).toBe(4);
  });

  test('that were removed are no longer accepted after ten minutes, also of a known token', async () => {
    const [old] = issuer.keys;
    const token = await issuer.token({ exp: Math.floor(Date.now() / 1000) + 3600 });
    expect((await peer.bearer(token)).status).toBe(200);
    issuer.keys = [await testKey()];
    pass(9 * MINUTE_MS);
    expect((await peer.bearer(token)).status).toBe(200);
    pass(MINUTE_MS);
    expect((await peer.bearer(token)).status).toBe(401);
    await expect(statusOf(old)).resolves.toBe(401);
  });

  test('are used for an hour while they cannot be fetched again', async () => {
    await expect(statusOf()).resolves.toBe(200);
    issuer.answers = { '/jwks': 500 };
    pass(59 * MINUTE_MS);
    await expect(statusOf()).resolves.toBe(200);
    pass(MINUTE_MS);
    await expect(statusOf()).resolves.toBe(503);
    expect(peer.problems).toHaveLength(1);
    issuer.answers = {};
    pass(5000);
    await expect(statusOf()).resolves.toBe(200);
  });

  test('that cannot be fetched are requested at most every five seconds', async () => {
    issuer.answers = { '/jwks': 500 };
    for (let count = 0; count < 3; count += 1) await expect(statusOf()).resolves.toBe(503);
    expect(issuer.keyFetches).toBe(1);
    expect(peer.problems).toHaveLength(1);
    pass(5000);
    await expect(statusOf()).resolves.toBe(503);
    expect(issuer.keyFetches).toBe(2);
    issuer.answers = {};
    await expect(statusOf()).resolves.toBe(503);
    pass(5000);
    await expect(statusOf()).resolves.toBe(200);
  });
});

describe('503, and the reason for the operator, is the answer while', () => {
  test.each([
    [
      'the issuer publishes no metadata',
      { '/.well-known/oauth-authorization-server': 404 },
      'publishes no metadata',
    ],
    [
      'its metadata name another issuer',
      { '/.well-known/oauth-authorization-server': { issuer: 'https://evil.example' } },
      'name another issuer: https://evil.example',
    ],
    ['there are no keys', { '/jwks': 404 }, 'is not the address of a key set'],
    ['the keys are no keys', { '/jwks': { keys: 'none' } }, 'is not the address of a key set'],
  ])('%s', async (_what, answers, reason) => {
    issuer.answers = answers;
    const answer = await peer.bearer(await issuer.token());
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(answer.headers).not.toHaveProperty('www-authenticate');
    expect(answer.text).toBe('Service unavailable\n');
    expect(peer.problems).toEqual([
      expect.objectContaining({ message: expect.stringContaining(reason) as string }),
    ]);
  });

  test.each([
    ['a private network', 'http://10.1.2.3/jwks', 'is not public'],
    ['the metadata service of a cloud', 'http://169.254.169.254/jwks', 'is not public'],
    ['a file', 'file:///etc/passwd', 'only https: is allowed'],
  ])('its keys are at %s, which is not requested', async (_what, jwks_uri, reason) => {
    issuer.metadata = { jwks_uri };
    expect((await peer.bearer(await issuer.token())).status).toBe(503);
    expect(peer.problems).toEqual([
      expect.objectContaining({ message: expect.stringContaining(reason) as string }),
    ]);
  });
});
