import { BackOff, type RetryOptions } from './back-off.ts';

/** Options of requests that have their effect once, however often they are sent. */
export interface OnceOptions extends RetryOptions {
  /** `Idempotency-Key` of the request, of at most 512 characters. Default: a new one, so that only attempts of this call count as repetitions. */
  readonly idempotencyKey?: string | undefined;
}

/** Default of `retryForMs` for single requests. */
const RETRY_FOR_MS = 30_000;

/**
 * Sends an idempotent request until it succeeds.
 * @throws the error of the last attempt
 */
export async function withRetries<T>(
  { retryForMs = RETRY_FOR_MS, ...options }: RetryOptions,
  send: () => Promise<T>,
): Promise<T> {
  const backOff = new BackOff({ ...options, retryForMs });
  for (;;) {
    try {
      return await send();
    } catch (error) {
      await backOff.wait(error);
    }
  }
}
