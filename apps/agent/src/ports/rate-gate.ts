import type { LlmError } from './llm-provider.ts';

/** Permission to send one request. */
export interface RateSlot {
  /**
   * Reports that the response has begun or that the request failed. Further calls have no effect. An
   * adapter that outlives processes also frees the slots of a process that has ended.
   */
  release(): Promise<void>;
}

/**
 * Gate for all requests to one provider, of all processes that share the adapter. After an overload
 * response no request is sent for the requested delay, or the retry delay. Then one request is sent,
 * and the limit doubles with each response. Requests pass in order of arrival within a process.
 *
 * No method but `enter` rejects. An adapter that cannot reach its service admits requests by the
 * limits of its own process.
 */
export interface RateGate {
  /**
   * Resolves when a request may be sent. Rejects with the signal's reason when it aborts before.
   * @throws LlmError at once if the provider requested a delay longer than `patienceMs` (default
   * 60,000), with the rest of the delay
   */
  enter(options: {
    readonly signal: AbortSignal;
    readonly patienceMs?: number | undefined;
  }): Promise<RateSlot>;
  /** Reports a response: doubles the limit, and ends a refusal. */
  widen(): Promise<void>;
  /** Sends nothing for `waitMs` after an overload response. The longest of several delays applies. */
  coolDown(waitMs: number): Promise<void>;
  /**
   * Refuses requests with too little patience for the `retryAfterMs` of the error, for at most a
   * minute. Then one request is sent again.
   */
  refuse(error: LlmError): Promise<void>;
}

/** The gates by the name of the provider. */
export interface RateGates {
  /** Returns the gate of a provider, the same at each call. */
  of(provider: string): RateGate;
}
