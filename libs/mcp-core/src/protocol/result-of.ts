import type { JsonObject } from '../jsonrpc/messages.ts';
import type { RequestOutcome } from '../jsonrpc/outgoing-request.ts';
import { LocalError, ProtocolError } from './errors.ts';

/** Outcome of a request to which the peer responded, validly or not. */
type AnsweredOutcome = Exclude<RequestOutcome, { readonly kind: 'unsent' | 'closed' }>;

export interface ResponseSource {
  readonly peer: 'client' | 'server';
  /** Method of the request. */
  readonly method: string;
  /** Advice for a response that exceeded a limit, as a sentence. */
  readonly limitAdvice?: string;
}

/**
 * Returns the result in a response.
 * @throws ProtocolError when the response is an error.
 * @throws LocalError `invalid-response` with `sent: true` when it is not JSON-RPC or exceeded a limit.
 */
export function resultOf(
  outcome: AnsweredOutcome,
  { peer, method, limitAdvice }: ResponseSource,
): JsonObject {
  switch (outcome.kind) {
    case 'result':
      return outcome.result;
    case 'error':
      throw new ProtocolError(outcome.error.code, outcome.error.message, {
        data: outcome.error.data,
      });
    case 'invalid':
      throw new LocalError(
        'invalid-response',
        `The ${peer}'s response to ${method} is not JSON-RPC: ${outcome.detail}`,
        { sent: true },
      );
    case 'refused':
      throw new LocalError(
        'invalid-response',
        `The ${peer}'s response to ${method} was refused: ${outcome.detail}.${limitAdvice === undefined ? '' : ` ${limitAdvice}`}`,
        { sent: true },
      );
    default:
      return outcome satisfies never;
  }
}
