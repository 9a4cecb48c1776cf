import { LlmError } from '../ports/llm-provider.ts';
import type { Clock } from '../ports/clock.ts';
import { delay } from './delay.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Ends a wait; the rejection is the signal's reason. */
  readonly signal: AbortSignal;
  /** Longest wait that a server may ask for, in milliseconds; default 60,000. */
  readonly patienceMs?: number;
  /** Hears of each wait before it begins. */
  readonly onWait?: (error: LlmError, waitMs: number) => void;
}

const MAX_RETRIES = 4;
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** Longest wait that a server may ask for, unless a call has less patience. */
export const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Repeats `attempt` after a retryable `LlmError`, at most 4 times: full jitter over 0.5 s, 1 s, 2 s, 4 s, or what the server asks for, as far as the
 * patience goes. A longer request fails at once and says until when. `attempt` must not have shown anything to the caller when it fails.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof LlmError) || !error.retryable) throw error;
      const waitMs = waitBefore(retry, error, options);
      options.onWait?.(error, waitMs);
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
    throw error.with({ message: `${error.message} (given up after ${MAX_RETRIES + 1} attempts)` });
  const asked = error.retryAfterMs;
  if (asked === undefined) return random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** retry);
  if (asked <= patienceMs) return asked;
  const until = new Date(clock.now() + asked).toISOString();
  throw error.with({
    message: `${error.message} The server asks to wait ${Math.ceil(asked / 1000)} s (until ${until}); try again then.`,
  });
}
