import { LlmError } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/clock.ts';
import { delay } from './delay.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** Returns a uniform value in [0, 1). */
  readonly random: () => number;
  /** Aborts a delay, which rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /**
   * Maximum delay that a server may request, in milliseconds. 0: nothing is retried. Default:
   * 60,000.
   */
  readonly patienceMs?: number;
  /** Called before each delay, which begins when it resolves. */
  readonly onWait?: (error: LlmError, waitMs: number) => Promise<void>;
}

const MAX_RETRIES = 4;
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** Default maximum delay that a server may request, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Repeats `attempt` after a retryable `LlmError`, at most 4 times, with full jitter over 0.5 s, 1
 * s, 2 s, 4 s, or the delay that the server requests up to `patienceMs`. A longer requested delay
 * fails at once. A failed `attempt` must not have emitted anything.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof LlmError) || !error.retryable) throw error;
      const waitMs = waitBefore(retry, error, options);
      await options.onWait?.(error, waitMs);
      await delay(waitMs, options);
    }
  }
}

function waitBefore(
  retry: number,
  error: LlmError,
  { clock, random, patienceMs = MAX_RETRY_AFTER_MS }: RetryOptions,
): number {
  if (retry === MAX_RETRIES)
    throw error.with({ message: `${error.message} (failed after ${MAX_RETRIES + 1} attempts)` });
  const asked = error.retryAfterMs;
  if (patienceMs === 0 && (asked ?? 0) === 0) throw error;
  if (asked === undefined) return random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** retry);
  if (asked <= patienceMs) return asked;
  const until = new Date(clock.now() + asked).toISOString();
  throw error.with({
    message: `${error.message} The server asks to wait ${Math.ceil(asked / 1000)} s (until ${until}); try again then.`,
  });
}
