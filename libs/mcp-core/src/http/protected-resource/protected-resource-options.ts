import type { AuthorizationNetwork } from '../../auth/options.ts';

/** Credentials for the introspection endpoint of the authorization server. */
export interface IntrospectionOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Default: the endpoint in the metadata of the authorization server. */
  readonly endpoint?: string | undefined;
}

/** Rules for tokens that are bound to a key of the client. */
export interface DpopOptions {
  /** Whether tokens without a key are refused. Default: false. */
  readonly isRequired?: boolean | undefined;
  /**
   * Whether each proof must contain a recent nonce of this server. Nonces belong to this object:
   * instances behind one address refuse those of each other. Default: false.
   */
  readonly needsNonce?: boolean | undefined;
}

/** Options of `protectedResource`. */
export interface ProtectedResourceOptions {
  /**
   * Issuer of the accepted tokens, exactly as in the metadata of the authorization server: `https:`,
   * or `http:` at a loopback address.
   */
  readonly issuer: string;
  /**
   * Public URL of the MCP endpoint, as clients reach it: `https:`, or `http:` at a loopback address,
   * without query and fragment.
   */
  readonly resource: string;
  /** The `aud` that tokens must contain, compared as text. Default: `resource`. */
  readonly audience?: string | undefined;
  /** Scopes that every request needs. Those of a tool are added to them. Default: none. */
  readonly scopes?: readonly string[] | undefined;
  /** Scopes that a broader scope includes: `{ 'files:write': ['files:read'] }`. Default: none. */
  readonly impliedScopes?: { readonly [scope: string]: readonly string[] } | undefined;
  /**
   * Accepted signature algorithms of tokens and proofs. Default: RS, PS and ES with 256 to 512 bits,
   * and Ed25519. Symmetric algorithms and `none` are never accepted.
   */
  readonly algorithms?: readonly string[] | undefined;
  /**
   * Asks the authorization server about each token. An answer is reused for at most 60 seconds.
   * Default: tokens are JWTs, which are verified with the published keys of the issuer.
   */
  readonly introspection?: IntrospectionOptions | undefined;
  /** Bound tokens are always accepted, and always need a proof. Default: challenges do not offer DPoP. */
  readonly dpop?: DpopOptions | undefined;
  /** Limits of the requests to the authorization server. Default: loopback if `issuer` is, and public addresses. */
  readonly network?: AuthorizationNetwork | undefined;
}
