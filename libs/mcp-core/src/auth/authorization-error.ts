import type { LoginRequest } from './login-request.ts';

/** Codes of an `AuthorizationError`. */
export type AuthorizationErrorCode =
  /** The metadata of the server or of its authorization server cannot be found or is not usable. */
  | 'discovery-failed'
  /** The metadata belong to another server, or name another issuer. */
  | 'metadata-mismatch'
  /** An address is not `https:`, or not public. */
  | 'address-refused'
  /** A server did not answer, or not within the limits. */
  | 'unreachable'
  /** The authorization server knows no client of this host, and registers none. */
  | 'no-client'
  /** A user must log in, and `user.authorize` is not set. The error has `login`. */
  | 'user-needed'
  /** The user or the authorization server refused. */
  | 'authorization-refused'
  /** The redirect belongs to another request or another authorization server. */
  | 'redirect-invalid'
  /** The token endpoint refused, or its answer cannot be used. */
  | 'token-request-failed'
  /** The server refuses a token that was just issued for it, or scopes that were granted. */
  | 'token-refused';

/** Details of an `AuthorizationError`. */
export interface AuthorizationErrorDetails {
  /** The `error` that the authorization server sent. */
  readonly oauthError?: string | undefined;
  /** The login that the server needs. */
  readonly login?: LoginRequest | undefined;
  readonly cause?: unknown;
}

/**
 * A failed authorization. Neither the message nor the fields contain tokens, codes, secrets or
 * assertions, and errors that could contain them are not its cause.
 */
export class AuthorizationError extends Error {
  readonly code: AuthorizationErrorCode;
  readonly oauthError: string | undefined;
  readonly login: LoginRequest | undefined;

  constructor(
    code: AuthorizationErrorCode,
    message: string,
    { oauthError, login, cause }: AuthorizationErrorDetails = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AuthorizationError';
    this.code = code;
    this.oauthError = oauthError;
    this.login = login;
  }
}

/**
 * Returns the login that an error of a client asks for: that of the `AuthorizationError` `user-needed`
 * among the error and its causes.
 */
export function loginRequestOf(error: unknown): LoginRequest | undefined {
  let current = error;
  for (let depth = 0; current instanceof Error && depth < 16; depth += 1) {
    if (current instanceof AuthorizationError && current.login !== undefined) return current.login;
    current = current.cause;
  }
  return undefined;
}
