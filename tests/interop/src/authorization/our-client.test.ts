import {
  startAuthorizationServer,
  type AuthorizationServer,
} from '@signalbox/authorization-server';
import { createClientAuthorization } from '@signalbox/mcp-core/auth';
import { connectClient } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serveOurs, serveSdk, type ProtectedServer } from './protected-servers.ts';
import { REDIRECT_URI, type Era } from './sdk-login.ts';

const ERAS: readonly Era[] = ['legacy', 'modern'];
const SCOPES = ['notes:read', 'notes:write'];
/** A client of the authorization server for introspection. */
const INTROSPECTION = { clientId: 'our-server', clientSecret: 'secret-of-our-server' };

interface LoggedIn {
  readonly client: Awaited<ReturnType<typeof connectClient>>;
  /** Scopes of the addresses that the user was asked to open, in order. */
  readonly requestedScopes: readonly (string | null)[];
}

/** Connects our client, whose user consents to each request. */
async function connect(
  { url }: ProtectedServer,
  era: Era,
  authorizationServer: AuthorizationServer,
): Promise<LoggedIn> {
  const requestedScopes: (string | null)[] = [];
  const authorization = createClientAuthorization({
    user: {
      redirectUri: REDIRECT_URI,
      authorize: (request) => {
        requestedScopes.push(new URL(request.url).searchParams.get('scope'));
        return authorizationServer.browse(request.url);
      },
    },
  });
  const client = await connectClient(() => httpTransport({ url, authorization }), {
    info: { name: 'our-host', version: '1.0.0' },
    era,
  });
  onTestFinished(() => client.close());
  return { client, requestedScopes };
}

async function authorizationServerOf(
  options: Parameters<typeof startAuthorizationServer>[0] = {},
): Promise<AuthorizationServer> {
  const server = await startAuthorizationServer({ scopes: SCOPES, ...options });
  server.decide({ subject: 'ada' });
  onTestFinished(() => server.stop());
  return server;
}

describe.each(ERAS)('our client, in the %s era,', (era) => {
  describe('at a server on the official SDK', () => {
    let authorizationServer: AuthorizationServer;
    let server: ProtectedServer;

    beforeAll(async () => {
      authorizationServer = await startAuthorizationServer({ scopes: SCOPES });
      authorizationServer.decide({ subject: 'ada' });
      server = await serveSdk(authorizationServer, era);
    });

    afterAll(async () => {
      await server.stop();
      await authorizationServer.stop();
    });

    test('logs in, and asks for the scopes of a tool when it is called', async () => {
      const { client, requestedScopes } = await connect(server, era, authorizationServer);
      expect(client.server.era).toBe(era);
      expect(await client.callTool('whoami', {})).toMatchObject({
        content: [{ text: '{"principal":"ada"}' }],
      });
      expect(requestedScopes).toEqual(['notes:read']);
      expect(await client.callTool('remove', {})).toMatchObject({
        content: [{ text: 'removed' }],
      });
      expect(requestedScopes.map((scopes) => scopes?.split(' ').toSorted())).toEqual([
        ['notes:read'],
        ['notes:read', 'notes:write'],
      ]);
    });

    test('continues with a new token when the old one is revoked', async () => {
      const { client, requestedScopes } = await connect(server, era, authorizationServer);
      await client.callTool('whoami', {});
      authorizationServer.revokeAll();
      expect(await client.callTool('whoami', {})).not.toHaveProperty('isError', true);
      expect(requestedScopes).toHaveLength(2);
    });
  });

  test('logs in to our server, and asks for the scopes of a tool when it is called', async () => {
    const authorizationServer = await authorizationServerOf();
    const server = await serveOurs(authorizationServer);
    onTestFinished(() => server.stop());
    const { client, requestedScopes } = await connect(server, era, authorizationServer);
    expect(await client.callTool('whoami', {})).toMatchObject({
      structuredContent: { principal: 'ada', scopes: ['notes:read'] },
    });
    expect(await client.callTool('remove', {})).toMatchObject({
      content: [{ text: 'removed' }],
    });
    expect(requestedScopes).toHaveLength(2);
    expect(authorizationServer.requestsTo('jwks')).toHaveLength(1);
    expect(server.log()).toBe('');
  });

  test('logs in to our server with tokens of a new key', async () => {
    const authorizationServer = await authorizationServerOf();
    const server = await serveOurs(authorizationServer);
    onTestFinished(() => server.stop());
    const first = await connect(server, era, authorizationServer);
    await first.client.callTool('whoami', {});
    await authorizationServer.keys.rotate();
    const second = await connect(server, era, authorizationServer);
    for (const { client, requestedScopes } of [first, second]) {
      expect(await client.callTool('whoami', {})).toMatchObject({
        structuredContent: { principal: 'ada' },
      });
      expect(requestedScopes).toHaveLength(1);
    }
    expect(authorizationServer.requestsTo('jwks')).toHaveLength(2);
  });

  test('logs in to our server that introspects tokens', async () => {
    const authorizationServer = await authorizationServerOf({
      clients: [
        {
          ...INTROSPECTION,
          authMethod: 'client_secret_basic',
          redirectUris: [],
          grantTypes: ['client_credentials'],
        },
      ],
    });
    const server = await serveOurs(authorizationServer, { introspection: INTROSPECTION });
    onTestFinished(() => server.stop());
    const { client } = await connect(server, era, authorizationServer);
    expect(await client.callTool('whoami', {})).toMatchObject({
      structuredContent: { principal: 'ada', scopes: ['notes:read'] },
    });
    expect(authorizationServer.requestsTo('introspect').length).toBeGreaterThan(0);
    expect(authorizationServer.requestsTo('jwks')).toHaveLength(0);
    expect(server.log()).toBe('');
  });

  test('binds its tokens to a key, with the nonces of our server', async () => {
    const authorizationServer = await authorizationServerOf({ dpop: {} });
    const server = await serveOurs(authorizationServer, {
      dpop: { isRequired: true, needsNonce: true },
    });
    onTestFinished(() => server.stop());
    const { client, requestedScopes } = await connect(server, era, authorizationServer);
    for (let call = 0; call < 3; call += 1)
      expect(await client.callTool('whoami', {})).toMatchObject({
        structuredContent: { principal: 'ada' },
      });
    expect(await client.callTool('remove', {})).toMatchObject({ content: [{ text: 'removed' }] });
    expect(requestedScopes).toHaveLength(2);
    expect(server.log()).toBe('');
  });
});
