import { describe, expect, test } from 'vitest';
import { isRemote } from './config.ts';
import { loadConfig } from './load-config.ts';
import type { ServerAuth } from './remote-auth.ts';
import { problemOf, sources } from './testing/config-sources.ts';

const env = { MY_SECRET: 'client-secret-1', SIGNALBOX_PORT: '1' };
const CLIENT = { issuer: 'https://as.example', clientId: 'c' };

function withAuth(auth: object, entry: object = { url: 'https://mcp.example/mcp' }) {
  return sources({ mcpServers: { a: { ...entry, signalbox: { auth } } } }, { env });
}

async function authOf(auth: object): Promise<ServerAuth | undefined> {
  const [server] = (await loadConfig(withAuth(auth))).servers;
  return server !== undefined && isRemote(server) ? server.auth : undefined;
}

describe('the authorization of a server', () => {
  test('is a user who logs in, with a client that registers itself', async () => {
    expect(await authOf({})).toEqual({ grant: { kind: 'user' } });
    expect(await authOf({ scopes: ['read'] })).toEqual({
      scopes: ['read'],
      grant: { kind: 'user' },
    });
  });

  test('has a client whose secret comes from the environment and is masked', async () => {
    const auth = { ...CLIENT, clientSecret: '${MY_SECRET}', grant: 'client-credentials' };
    expect(await authOf(auth)).toEqual({
      client: { ...CLIENT, clientSecret: 'client-secret-1' },
      grant: { kind: 'client-credentials' },
    });
    const [server] = (await loadConfig(withAuth(auth))).servers;
    expect(server?.secrets).toContain('client-secret-1');
  });

  test('names files relative to the configuration', async () => {
    const grant = { grant: 'jwt-bearer', assertionFile: 'token.jwt' };
    expect(await authOf({ ...CLIENT, privateKeyFile: 'key.pem', ...grant })).toEqual({
      client: { ...CLIENT, privateKeyFile: '/etc/key.pem' },
      grant: { kind: 'jwt-bearer', assertionFile: '/etc/token.jwt' },
    });
    const identityProvider = { issuer: 'https://idp.example', clientId: 'host' };
    const managed = { grant: 'enterprise-managed', idTokenFile: '/run/id', identityProvider };
    expect(await authOf({ ...CLIENT, ...managed })).toEqual({
      client: CLIENT,
      grant: { kind: 'enterprise-managed', identityProvider, idTokenFile: '/run/id' },
    });
  });

  test.each<[object, string]>([
    [{ clientId: 'c' }, 'auth.issuer: is missing'],
    [{ clientSecret: 's' }, 'auth.clientSecret: is for a client; add its clientId'],
    [{ grant: 'client-credentials' }, 'auth.clientId: is missing'],
    [{ ...CLIENT, grant: 'jwt-bearer' }, 'auth.assertionFile: is missing'],
    [{ ...CLIENT, idTokenFile: 'x' }, 'auth.idTokenFile: is for the grant enterprise-managed'],
    [{ ...CLIENT, grant: 'password' }, 'auth.grant'],
    [{ ...CLIENT, secret: 'x' }, 'auth'],
    [{ ...CLIENT, clientSecret: '${UNSET}' }, 'auth.clientSecret: the environment variable UNSET'],
  ])('%j is refused', async (auth, problem) => {
    expect(await problemOf(withAuth(auth))).toContain(problem);
  });

  test('excludes a header Authorization and a server that is started', async () => {
    const headers = { authorization: 'Bearer x' };
    expect(await problemOf(withAuth({}, { url: 'https://mcp.example', headers }))).toContain(
      'signalbox.auth: excludes the header Authorization',
    );
    expect(await problemOf(withAuth({}, { command: 'node' }))).toContain(
      'signalbox.auth: is for a server with "url"',
    );
  });
});

describe('the settings of all remote servers', () => {
  test('are the public address, networks and the identity of the service', async () => {
    const config = await loadConfig(
      sources({
        public_url: 'https://agent.example/box/',
        remote_servers: {
          allowed_networks: ['10.0.0.0/8'],
          client_name: 'Agents of Ann',
          client_metadata_url: 'https://agent.example/client.json',
        },
      }),
    );
    expect(config.publicUrl).toBe('https://agent.example/box');
    expect(config.remoteServers).toEqual({
      allowedNetworks: ['10.0.0.0/8'],
      clientName: 'Agents of Ann',
      clientMetadataUrl: 'https://agent.example/client.json',
    });
  });

  test.each<[object, string]>([
    [{ public_url: 'http://agent.example' }, 'public_url: must be an https URL'],
    [{ public_url: 'https://agent.example/?a=1' }, 'public_url: must not hold'],
    [
      { remote_servers: { client_metadata_url: 'http://127.0.0.1/c.json' } },
      'remote_servers.client_metadata_url: must be an https URL',
    ],
    [{ remote_servers: { allowed_networks: ['ten'] } }, 'remote_servers.allowed_networks'],
  ])('%j is refused', async (file, problem) => {
    expect(await problemOf(sources(file))).toContain(problem);
  });
});

test('the service has the keys of SIGNALBOX_SECRET_KEY', async () => {
  const key = Buffer.alloc(32, 1);
  const config = await loadConfig(
    sources({}, { env: { SIGNALBOX_SECRET_KEY: key.toString('base64') } }),
  );
  expect(config.secretKeys).toEqual([key]);
});
