import { createHash } from 'node:crypto';
import type {
  RegisteredClient,
  StoredTokens,
  TokenKey,
  TokenStore,
} from '@signalbox/mcp-core/auth';
import type { SecretName } from '../ports/store/secrets.ts';
import type { SecretVault } from './secret-vault.ts';

/** Creates the store of tokens and registered clients on the encrypted secrets of the service. */
export function storedTokens(vault: SecretVault): TokenStore {
  return {
    async readTokens(key) {
      // Written by `writeTokens` only.
      return (await vault.read(tokensName(key)))?.value as StoredTokens | undefined;
    },
    writeTokens: (key, tokens) => vault.write(tokensName(key), tokens),
    async deleteTokens(key) {
      await vault.remove(tokensName(key));
    },
    withLock: (key, work) => vault.locked(tokensName(key).name, work),
    async readClient(issuer, redirectUri) {
      const found = await vault.read(clientName(issuer, redirectUri));
      return (found?.value as StoredClient | undefined)?.client;
    },
    writeClient: (issuer, redirectUri, client) =>
      vault.write(clientName(issuer, redirectUri), { issuer, client } satisfies StoredClient),
    async deleteClient(issuer, redirectUri) {
      await vault.remove(clientName(issuer, redirectUri));
    },
  };
}

/** A registered client, as `writeClient` stores it. */
interface StoredClient {
  readonly issuer: string;
  readonly client: RegisteredClient;
}

/**
 * Returns the client that stored tokens were issued to, with whatever redirect URI it was registered.
 * A client that the service did not register has no secret.
 */
export async function clientOfTokens(
  vault: SecretVault,
  key: TokenKey,
): Promise<RegisteredClient | undefined> {
  const tokens = (await vault.read(tokensName(key)))?.value as StoredTokens | undefined;
  if (tokens === undefined) return undefined;
  const clients = (await vault.list('client')).map(({ value }) => value as StoredClient);
  const { clientId } = tokens;
  const found = clients.find(
    ({ issuer, client }) => issuer === key.issuer && client.clientId === clientId,
  );
  return found?.client ?? { clientId };
}

/** Returns the name of the secret with the tokens of a key. */
export function tokensName({ issuer, resource, principal }: TokenKey): SecretName {
  return { kind: 'tokens', name: digestOf([issuer, resource, principal]) };
}

function clientName(issuer: string, redirectUri: string): SecretName {
  return { kind: 'client', name: digestOf([issuer, redirectUri]) };
}

function digestOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
