import type { AuthorizedRequest } from '../http/client/authorization.ts';
import type { ExtraHeaders } from '../http/client/headers.ts';
import type { DpopKey } from './dpop-key.ts';
import type { StoredTokens, TokenKey } from './token-store.ts';

/** Tokens in use. */
export interface HeldTokens {
  readonly key: TokenKey;
  readonly tokens: StoredTokens;
  readonly dpop: DpopKey | undefined;
  /** Source of the tokens: the store, a refresh, or a grant for this client. */
  readonly source: 'store' | 'refresh' | 'grant';
  /** Milliseconds since the epoch from which the tokens are refreshed. */
  readonly renewAt: number;
}

/** Longest time in milliseconds before the end of its life at which an access token is renewed. */
const EARLY_MS = 30_000;

/** Returns tokens with the time at which they are refreshed: at the latest in the middle of their life. */
export function held(given: Omit<HeldTokens, 'renewAt'>): HeldTokens {
  const { expiresAt = Infinity } = given.tokens;
  const leftMs = expiresAt - Date.now();
  return { ...given, renewAt: expiresAt - Math.min(EARLY_MS, Math.max(0, leftMs / 2)) };
}

/** Returns the headers of a request: the token, and a proof if it is bound to a key. */
export function headersOf(
  { tokens, dpop }: HeldTokens,
  { method, url, body }: AuthorizedRequest,
  nonce: string | undefined,
): ExtraHeaders {
  const Authorization = authorizationOf(tokens);
  if (dpop === undefined) return { Authorization };
  const { accessToken } = tokens;
  return { Authorization, DPoP: dpop.prove({ method, url, body, accessToken, nonce }) };
}

/** Returns the header field of tokens. */
export function authorizationOf({ tokenType, accessToken }: StoredTokens): string {
  return `${tokenType} ${accessToken}`;
}
