import type { JsonObject, JsonRpcErrorObject } from './messages.ts';

/** Outcome of a request that this side sent. */
export type RequestOutcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: JsonRpcErrorObject }
  /** The response was not valid JSON-RPC. */
  | { readonly kind: 'invalid'; readonly detail: string }
  /** The response exceeded a limit and was not read. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** Nothing of the request left this process. */
  | { readonly kind: 'unsent'; readonly error: Error }
  /** The connection ended first; the peer may have received the request. */
  | { readonly kind: 'closed'; readonly error: Error | undefined };

/** Receives the outcome of a sent request. */
export interface OutcomeReceiver {
  /** Called once, and during `call` only when nothing could be sent. Must not throw. */
  settled(outcome: RequestOutcome): void;
}

export interface OutgoingRequest {
  readonly id: number;
  /** Never rejects. */
  readonly outcome: Promise<RequestOutcome>;
  /**
   * Stops waiting: `outcome` stays pending and a late response is dropped. Returns false when the
   * request has already ended. Does not notify the peer.
   */
  forget(): boolean;
}
