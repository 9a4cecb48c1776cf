import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import { headerOf, type HttpHeaders } from '../headers/http-headers.ts';

/** A request that is refused. */
export interface RefusedAccess {
  /** 503 when the request cannot be authenticated at the moment. */
  readonly refused: 400 | 401 | 403 | 503;
  /** Becomes `WWW-Authenticate`. Default: `Bearer`; none with status 503. */
  readonly challenge?: string | undefined;
  /** Further header fields of the response. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Reported to `onError`, without being sent to the client. */
  readonly problem?: unknown;
}

/** A request that is accepted, without a principal if there is no `auth`. */
export interface GrantedAccess {
  readonly auth?: AuthContext | undefined;
  /** Further header fields of the response. */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /**
   * Checks the bytes of the body before they are parsed. Not called for a body that a framework has
   * parsed.
   */
  readonly checkBody?: ((body: Uint8Array) => RefusedAccess | undefined) | undefined;
}

/** The decision about a request. `{}` accepts it without a principal. */
export type AuthDecision = GrantedAccess | RefusedAccess;

/** The request line of a request. */
export interface RequestTarget {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
}

/**
 * Authenticates a request by its header fields, by lower-case name. An error thrown here becomes
 * status 500.
 */
export type Authenticate = (
  headers: HttpHeaders,
  target: RequestTarget,
) => AuthDecision | Promise<AuthDecision>;

/**
 * Authentication with scopes and public documents. `protectedResource` of
 * `@signalbox/mcp-core/http/protected-resource` creates one for OAuth.
 */
export interface RequestAuthenticator {
  readonly authenticate: Authenticate;
  /** Scopes that every request needs. Default: none. */
  readonly requiredScopes?: readonly string[] | undefined;
  /**
   * Returns `WWW-Authenticate` of the 403 for a sender without the needed scopes. `scopes` are all
   * that the request needs. Default: a challenge of the scheme `Bearer`.
   */
  readonly scopeChallenge?: ((scopes: readonly string[], auth: AuthContext) => string) | undefined;
  /** JSON texts that everyone may read, by path. Default: none. */
  readonly documents?: { readonly [path: string]: string } | undefined;
}

/** The tokens of several principals: `{ ada: 'token', build: ['old-token', 'new-token'] }`. */
export interface BearerTokens {
  readonly [principal: string]: string | readonly string[];
}

/** Accepts requests that carry one of the tokens, compared in constant time. */
export function bearerTokens(
  tokens: readonly { readonly token: string; readonly principal: string }[],
): Authenticate {
  const accepted = tokens.map(({ token }) => digest(token));
  const decisions = tokens.map(({ principal }): AuthDecision => ({ auth: { principal } }));
  return (headers) => {
    const token = /^bearer +(\S+)$/iu.exec(headerOf(headers, 'authorization') ?? '')?.[1];
    if (token === undefined) return { refused: 401 };
    const given = digest(token);
    // All tokens are compared, so that the time tells nothing about them.
    const matches = accepted.map((known) => nodeCrypto().timingSafeEqual(known, given));
    return (
      decisions[matches.indexOf(true)] ?? {
        refused: 401,
        challenge: 'Bearer error="invalid_token"',
      }
    );
  };
}

function digest(token: string): Buffer {
  return nodeCrypto().createHash('sha256').update(token).digest();
}
