import type { JWK } from 'jose';

/** A client that the authorization server knows. */
export interface Client {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** Public keys for `private_key_jwt`. */
  readonly jwks?: { readonly keys: readonly JWK[] } | undefined;
  /** `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`. */
  readonly authMethod: string;
  readonly redirectUris: readonly string[];
  /** Default: `authorization_code` and `refresh_token`. */
  readonly grantTypes?: readonly string[] | undefined;
  /** Whether each of its token requests needs a DPoP proof. */
  readonly isDpopBound?: boolean | undefined;
}

/** Options of `startAuthorizationServer`. */
export interface AuthorizationServerOptions {
  /** Path of the issuer, for example `/tenant`. Default: none. */
  readonly path?: string | undefined;
  /** Published metadata documents. Default: both. */
  readonly documents?: readonly ('oauth' | 'openid')[] | undefined;
  readonly clients?: readonly Client[] | undefined;
  /** Client ID metadata documents by URL; the server fetches none. */
  readonly clientDocuments?: { readonly [url: string]: { readonly [name: string]: unknown } };
  /** Resources for which it issues tokens. Default: every URI without fragment. */
  readonly resources?: readonly string[] | undefined;
  /** Supported scopes. Default: every scope, and none is listed. */
  readonly scopes?: readonly string[] | undefined;
  /** Default: 3600. */
  readonly accessTokenSeconds?: number | undefined;
  readonly dpop?: DpopPolicy | undefined;
  /** Issuers whose assertions the JWT bearer grant accepts, with their public keys. */
  readonly assertionIssuers?: {
    readonly [issuer: string]: () => { readonly keys: readonly JWK[] };
  };
  /** Clock in milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The policy for tokens that are bound to a key. */
export interface DpopPolicy {
  /** Whether each token request needs a proof. Default: only those of clients that say so. */
  readonly isRequired?: boolean | undefined;
  /** Whether proofs need a nonce of the server. */
  readonly needsNonce?: boolean | undefined;
}
