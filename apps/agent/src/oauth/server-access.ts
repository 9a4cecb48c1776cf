import { readFile } from 'node:fs/promises';
import type {
  ClientAuthorizationOptions,
  ClientRegistrationOptions,
  MachineGrant,
  TokenStore,
} from '@signalbox/mcp-core/auth';
import { isLoopback } from '@signalbox/mcp-core';
import type { RemoteServerConfig } from '../config/config.ts';
import type { RemoteServersSettings, ServerAuth } from '../config/remote-auth.ts';
import { preRegisteredClient } from './configured-client.ts';
import type { SecretVault } from './secret-vault.ts';
import { clientOfTokens, storedTokens } from './stored-tokens.ts';

/** Options that the logins and the connections of one server have in common. */
export interface ServerAccess {
  readonly store: TokenStore;
  readonly principal: string;
  readonly registration: ClientRegistrationOptions;
  readonly network: NonNullable<ClientAuthorizationOptions['network']>;
}

const DEFAULT_NAME = 'Signalbox';
const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1'];

/**
 * Whether the service authorizes itself at a server by OAuth: the configuration has no token for it.
 */
export function hasLogins({ headers }: RemoteServerConfig): boolean {
  return !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

/**
 * Returns the options of the authorization at a server. Each server has its own tokens, also at the
 * same address. @throws ConfigError when a file of the configuration cannot be used
 */
export async function serverAccess(
  { name, url, auth }: RemoteServerConfig,
  vault: SecretVault,
  settings: RemoteServersSettings = {},
): Promise<ServerAccess> {
  const { allowedNetworks, clientName = DEFAULT_NAME, clientMetadataUrl } = settings;
  const { client } = auth ?? {};
  const isLocal = isLoopback(new URL(url).hostname);
  return {
    store: storedTokens(vault),
    principal: name,
    registration: {
      name: clientName,
      clients: client === undefined ? [] : [await preRegisteredClient(client)],
      metadataUrl: clientMetadataUrl,
      // A process without the redirect URI of the login refreshes the tokens, too.
      ask: (target) => clientOfTokens(vault, { ...target, principal: name }),
    },
    network:
      allowedNetworks === undefined
        ? {}
        : { allowedNetworks: [...allowedNetworks, ...(isLocal ? LOOPBACK_NETWORKS : [])] },
  };
}

/** Returns the grant without a user of a server; undefined when a person logs in. */
export async function machineGrant(
  auth: ServerAuth | undefined,
): Promise<MachineGrant | undefined> {
  const { grant } = auth ?? {};
  switch (grant?.kind) {
    case undefined:
    case 'user':
      return undefined;
    case 'client-credentials':
      return { kind: grant.kind };
    case 'jwt-bearer':
      return { kind: grant.kind, assertion: () => readToken(grant.assertionFile) };
    case 'enterprise-managed': {
      const { issuer, ...client } = await preRegisteredClient(grant.identityProvider);
      const idToken = (): Promise<string> => readToken(grant.idTokenFile);
      return { kind: grant.kind, identityProvider: { issuer, client, idToken } };
    }
  }
}

/** Reads a file anew for each request, because another program replaces it before it expires. */
async function readToken(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).trim();
}
