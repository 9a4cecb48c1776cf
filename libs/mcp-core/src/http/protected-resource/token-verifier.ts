import type { JsonObject } from '../../jsonrpc/messages.ts';

/** Returns the claims of access tokens that are valid at this server. */
export interface TokenVerifier {
  /** Milliseconds for which an answer may be reused at most. */
  readonly maxAgeMs: number;
  /** Milliseconds for which a refusal may be reused. */
  readonly maxRefusalAgeMs: number;
  /** @throws RefusedTokenError for a token that is not valid; any other error when that is unknown */
  verify(token: string): Promise<JsonObject>;
}
