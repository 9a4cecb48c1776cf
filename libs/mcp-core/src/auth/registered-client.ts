import type { webcrypto } from 'node:crypto';

/** A client as an authorization server knows it. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** Private key for `private_key_jwt`, for signing. */
  readonly privateKey?: webcrypto.CryptoKey | undefined;
  /**
   * Authentication at the token endpoint: `client_secret_basic`, `client_secret_post`,
   * `private_key_jwt` or `none`. Default: the first of them for which the client has what it needs
   * and which the authorization server supports.
   */
  readonly authMethod?: string | undefined;
}
