/**
 * Reason for a login.
 *
 * - `no-tokens`: the store has no tokens for the server.
 * - `tokens-refused`: the server refuses the tokens, and they cannot be refreshed.
 * - `refresh-refused`: the authorization server refused the refresh token, which was revoked, has
 *   expired, or was used by somebody else.
 * - `insufficient-scope`: the server demands more scopes than were granted.
 */
export type LoginReason = 'no-tokens' | 'tokens-refused' | 'refresh-refused' | 'insufficient-scope';

/** A way in which a user can log in: by a redirect of the browser, or by a code on another device. */
export type LoginMethod = 'browser' | 'device';

/** The server that a user logs in to. Contains no secrets. */
export interface LoginTarget {
  /** URL of the MCP endpoint. */
  readonly server: string;
  /** Scopes to request. Default: those that the metadata of the server list. */
  readonly scopes?: readonly string[] | undefined;
  /** URL of the protected resource metadata. Default: the well-known addresses. */
  readonly metadataUrl?: string | undefined;
  /** Whether the server demands tokens that are bound to a key. Default: as its metadata say. */
  readonly isDpop?: boolean | undefined;
}

/**
 * A login that a server needs before it accepts a request. `beginLogin` and `beginDeviceLogin` accept
 * it. Contains no secrets, and JSON keeps it.
 */
export interface LoginRequest extends LoginTarget {
  /** Issuer of the authorization server. */
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Scopes in the challenge of the server, all of which the refused request needs. May be empty. */
  readonly challengedScopes: readonly string[];
  readonly reason: LoginReason;
  /** Login methods of the authorization server, the preferred one first. */
  readonly methods: readonly LoginMethod[];
}
