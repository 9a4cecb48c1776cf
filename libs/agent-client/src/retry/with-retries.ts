import { attemptSignal } from './attempt-signal.ts';
import { BackOff, type RetryOptions } from './back-off.ts';

/** Options of requests that have their effect once, however often they are sent. */
export interface OnceOptions extends RetryOptions {
  /** `Idempotency-Key` of the request, of at most 512 characters. Default: a new one, so that only attempts of this call count as repetitions. */
  readonly idempotencyKey?: string | undefined;
}

/** Default of `retryForMs` for single requests. */
const RETRY_FOR_MS = 30_000;

/** Milliseconds after which an attempt without a response counts as lost. */
const ATTEMPT_MS = 60_000;

/**
 * Sends an idempotent request until it succeeds. Each attempt gets a signal of its own.
 * @throws the error of the last attempt
 */
export async function withRetries<T>(
  { retryForMs = RETRY_FOR_MS, ...options }: RetryOptions,
  send: (signal: AbortSignal) => Promise<T>,
  attemptMs = ATTEMPT_MS,
): Promise<T> {
  const backOff = new BackOff({ ...options, retryForMs });
  for (;;) {
    try {
      return await send(attemptSignal(options.signal, attemptMs));
    } catch (error) {
      await backOff.wait(error);
    }
  }
}
