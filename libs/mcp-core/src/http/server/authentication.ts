import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';
import type { AuthContext } from '../../jsonrpc/transport.ts';
import { headerOf, type HttpHeaders } from '../headers/http-headers.ts';

/** The decision about a request. `{}` accepts it without a principal. */
export type AuthDecision =
  | { readonly auth?: AuthContext }
  /** `challenge` becomes `WWW-Authenticate`. Default: `Bearer`. */
  | { readonly refused: 401 | 403; readonly challenge?: string };

/**
 * Authenticates a request by its header fields, by lower-case name. An error thrown here becomes
 * status 500.
 */
export type Authenticate = (headers: HttpHeaders) => AuthDecision | Promise<AuthDecision>;

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
