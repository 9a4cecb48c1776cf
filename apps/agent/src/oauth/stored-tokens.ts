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
      // Written by `writeClient` only.
      const found = await vault.read(clientName(issuer, redirectUri));
      return found?.value as RegisteredClient | undefined;
    },
    writeClient: (issuer, redirectUri, client) =>
      vault.write(clientName(issuer, redirectUri), client),
    async deleteClient(issuer, redirectUri) {
      await vault.remove(clientName(issuer, redirectUri));
    },
  };
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
