import { isTransient } from './is-transient.ts';
import { ProblemError } from '../problem-error.ts';
import { sleep } from './sleep.ts';

/** A failure after which a request is sent again. */
export interface Retry {
  /** Error of `fetch`, a `ProblemError` whose `isRetryable` is set, or a stream that ended early. */
  readonly error: unknown;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
}

/** Options of requests that are sent again after a failure. */
export interface RetryOptions {
  /** Aborts the request and the waits between attempts. The promise or iterator then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the first of consecutive failures after which the last error is thrown; 0: at once, `Infinity`: never. Default: 300000 (5 minutes) for streams and waits, 30000 for other requests. */
  readonly retryForMs?: number | undefined;
  /** Called before each wait for another attempt. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
}

/** Default of `retryForMs` for streams and waits. */
const RETRY_FOR_MS = 300_000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

/** Delays between the attempts of one request: doubled each time, with jitter, at least `Retry-After`, at most 30 seconds without it. */
export class BackOff {
  readonly #options: RetryOptions;
  #firstDelayMs = FIRST_DELAY_MS;
  #failures = 0;
  /** Time of the first failure since the last success. */
  #failingSince = 0;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /** Starts anew after a success. */
  reset(): void {
    this.#failures = 0;
  }

  /** Sets the delay after the first failure. */
  setFirstDelay(ms: number): void {
    this.#firstDelayMs = ms;
  }

  /**
   * Resolves when the next attempt is due.
   * @throws the error if another attempt has no prospect or comes too late; the reason of the signal if it is aborted
   */
  async wait(error: unknown): Promise<void> {
    const { signal, retryForMs = RETRY_FOR_MS, onRetry } = this.#options;
    signal?.throwIfAborted();
    if (this.#failures === 0) this.#failingSince = performance.now();
    const delayMs = this.#nextDelay(error);
    const elapsedMs = performance.now() - this.#failingSince;
    if (!isTransient(error) || elapsedMs + delayMs > retryForMs) throw error;
    onRetry?.({ error, delayMs });
    await sleep(delayMs, signal);
  }

  #nextDelay(error: unknown): number {
    const fullMs = Math.min(this.#firstDelayMs * 2 ** this.#failures, MAX_DELAY_MS);
    this.#failures += 1;
    const delayMs = Math.round(fullMs * (0.5 + Math.random() / 2));
    const requestedMs = error instanceof ProblemError ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(delayMs, requestedMs);
  }
}
