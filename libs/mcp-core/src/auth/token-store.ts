import type { webcrypto } from 'node:crypto';
import type { RegisteredClient } from './registered-client.ts';

/** The owner and the purpose of tokens. All members are compared as text. */
export interface TokenKey {
  /** Issuer of the authorization server. */
  readonly issuer: string;
  /** Resource that the tokens are for. */
  readonly resource: string;
  /** User or service of the host that the tokens belong to. */
  readonly principal: string;
}

/** An access token and what renews it. Secret. */
export interface StoredTokens {
  readonly accessToken: string;
  readonly tokenType: 'Bearer' | 'DPoP';
  readonly refreshToken?: string | undefined;
  /** Scopes that were requested, in all requests so far. */
  readonly requestedScopes: readonly string[];
  /** Scopes that were granted. */
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
  /** Client that the tokens were issued to. */
  readonly clientId: string;
  /** Private key that DPoP tokens are bound to. */
  readonly dpopKey?: webcrypto.JsonWebKey | undefined;
}

/**
 * Keeps tokens and dynamic registrations of clients. An implementation that outlives the process
 * must encrypt what it writes or restrict who reads it. Calls may overlap; a write replaces the
 * whole value. `tokenStoreContract` of `@signalbox/mcp-core/testing/contracts` checks an
 * implementation.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#token-theft
 */
export interface TokenStore {
  /** Returns the tokens of a key, expired ones too, or `undefined`. */
  readTokens(key: TokenKey): Promise<StoredTokens | undefined>;
  /** Replaces the tokens of a key. Resolves when a later read returns them. */
  writeTokens(key: TokenKey, tokens: StoredTokens): Promise<void>;
  /** Deletes the tokens of a key, if there are any. */
  deleteTokens(key: TokenKey): Promise<void>;
  /**
   * Runs `work` alone: works of one key run one after another, in all processes that share the store.
   * Works of different keys do not wait for each other. Settles as `work` does. `work` reads and
   * writes the store and sends requests to the authorization server, which takes less than a minute.
   * It never locks its key again. A process that ends during its work must not block the key for
   * longer than a minute.
   */
  withLock<T>(key: TokenKey, work: () => Promise<T>): Promise<T>;
  /** Returns the client that an issuer registered for a redirect URI. */
  readClient(issuer: string, redirectUri: string): Promise<RegisteredClient | undefined>;
  /** Replaces the client of an issuer and a redirect URI. Resolves when a later read returns it. */
  writeClient(issuer: string, redirectUri: string, client: RegisteredClient): Promise<void>;
  /** Deletes the client of an issuer and a redirect URI, if there is any. */
  deleteClient(issuer: string, redirectUri: string): Promise<void>;
}

/** Keeps tokens in memory, until the process ends. */
export class MemoryTokenStore implements TokenStore {
  readonly #tokens = new Map<string, StoredTokens>();
  readonly #clients = new Map<string, RegisteredClient>();
  readonly #works = new Map<string, Promise<unknown>>();

  readTokens(key: TokenKey): Promise<StoredTokens | undefined> {
    return Promise.resolve(this.#tokens.get(textOf(key)));
  }

  writeTokens(key: TokenKey, tokens: StoredTokens): Promise<void> {
    this.#tokens.set(textOf(key), tokens);
    return Promise.resolve();
  }

  deleteTokens(key: TokenKey): Promise<void> {
    this.#tokens.delete(textOf(key));
    return Promise.resolve();
  }

  async withLock<T>(key: TokenKey, work: () => Promise<T>): Promise<T> {
    const text = textOf(key);
    const before = this.#works.get(text) ?? Promise.resolve();
    const own = before.then(work, work);
    this.#works.set(text, own);
    try {
      return await own;
    } finally {
      if (this.#works.get(text) === own) this.#works.delete(text);
    }
  }

  readClient(issuer: string, redirectUri: string): Promise<RegisteredClient | undefined> {
    return Promise.resolve(this.#clients.get(JSON.stringify([issuer, redirectUri])));
  }

  writeClient(issuer: string, redirectUri: string, client: RegisteredClient): Promise<void> {
    this.#clients.set(JSON.stringify([issuer, redirectUri]), client);
    return Promise.resolve();
  }

  deleteClient(issuer: string, redirectUri: string): Promise<void> {
    this.#clients.delete(JSON.stringify([issuer, redirectUri]));
    return Promise.resolve();
  }
}

function textOf({ issuer, resource, principal }: TokenKey): string {
  return JSON.stringify([issuer, resource, principal]);
}
