/** Error codes of challenges. @see https://www.rfc-editor.org/rfc/rfc9449#section-12.2 */
export type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_token'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce';

/**
 * A refused token or proof. The message is sent to the client; it contains nothing of the token.
 * Printable ASCII without quotes.
 */
export class RefusedTokenError extends Error {
  readonly code: TokenErrorCode;
  /** Whether the token needs the scheme DPoP, whatever the scheme of the request is. */
  readonly needsDpop: boolean;

  constructor(code: TokenErrorCode, message: string, needsDpop = false) {
    super(message);
    this.name = 'RefusedTokenError';
    this.code = code;
    this.needsDpop = needsDpop;
  }
}
