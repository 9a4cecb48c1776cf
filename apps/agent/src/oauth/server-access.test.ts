import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RemoteServerConfig } from '../config/config.ts';
import { serverConfig } from '../mcp/testing/pool-fixture.ts';
import { SecretBox } from './secret-box.ts';
import { SecretVault } from './secret-vault.ts';
import { hasLogins, machineGrant, serverAccess } from './server-access.ts';

const box = new SecretBox([Buffer.alloc(32, 1)]);
const ignore = (): void => undefined;
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const nothing = (): never => {
  throw new Error('not called here');
};
const secrets = {
  read: nothing,
  list: nothing,
  write: nothing,
  replace: nothing,
  remove: nothing,
  removeExpired: nothing,
  lock: nothing,
  unlock: nothing,
  unlockAll: nothing,
};
const vault = new SecretVault({ secrets, box: () => box, logger });

function remote(config: Partial<RemoteServerConfig>): RemoteServerConfig {
  const { command: _, args: _args, env: _env, cwd: _cwd, ...rules } = serverConfig('far');
  return { ...rules, transport: 'http', url: 'https://mcp.example/mcp', headers: {}, ...config };
}

describe('the access to a server', () => {
  test('belongs to the entry of the configuration, also at the same address', async () => {
    const [one, other] = [remote({}), remote({ name: 'other' })];
    const principals = [one, other].map(
      async (server) => (await serverAccess(server, vault)).principal,
    );
    expect(await Promise.all(principals)).toEqual(['far', 'other']);
  });

  test.each([
    ['https://mcp.example/mcp', undefined, undefined],
    ['http://127.0.0.1:1/mcp', undefined, undefined],
    ['https://mcp.example/mcp', ['10.0.0.0/8'], ['10.0.0.0/8']],
    ['http://127.0.0.1:1/mcp', ['10.0.0.0/8'], ['10.0.0.0/8', '127.0.0.0/8', '::1']],
  ])('at %s with the networks %j allows %j', async (url, allowedNetworks, expected) => {
    const { network } = await serverAccess(remote({ url }), vault, { allowedNetworks });
    expect(network.allowedNetworks).toEqual(expected);
  });

  test('names the service, its document and its client', async () => {
    const client = { issuer: 'https://as.example', clientId: 'c', clientSecret: 's' };
    const auth = { client, grant: { kind: 'user' } } as const;
    const settings = { clientName: 'Box', clientMetadataUrl: 'https://box.example/client.json' };
    const { registration } = await serverAccess(remote({ auth }), vault, settings);
    expect(registration).toMatchObject({
      name: 'Box',
      metadataUrl: 'https://box.example/client.json',
      clients: [client],
    });
  });
});

test('a header Authorization in any case excludes logins', () => {
  expect(hasLogins(remote({}))).toBe(true);
  expect(hasLogins(remote({ headers: { 'x-key': 'a' } }))).toBe(true);
  expect(hasLogins(remote({ headers: { AUTHORIZATION: 'Bearer a' } }))).toBe(false);
});

test('an assertion is read from its file each time, because another program replaces it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assertion-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const assertionFile = join(folder, 'token');
  const grant = await machineGrant({ grant: { kind: 'jwt-bearer', assertionFile } });
  const read = (): Promise<string> | undefined =>
    grant?.kind === 'jwt-bearer'
      ? grant.assertion({ issuer: '', resource: '', scopes: [] })
      : undefined;
  await writeFile(assertionFile, 'first\n');
  expect(await read()).toBe('first');
  await writeFile(assertionFile, 'second\n');
  expect(await read()).toBe('second');
});

test('without a grant a person logs in', async () => {
  expect(await machineGrant(undefined)).toBeUndefined();
  expect(await machineGrant({ grant: { kind: 'user' } })).toBeUndefined();
});
