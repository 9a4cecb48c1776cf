/** Attempts after which a delivery is dead: about 20 hours. */
export const MAX_ATTEMPTS = 10;

const FIRST_DELAY_MS = 5000;
const FACTOR = 4;
/** Longest delay before jitter, and longest `Retry-After` that is respected, in milliseconds. */
const MAX_DELAY_MS = 6 * 60 * 60 * 1000;

/**
 * Returns the milliseconds until the next attempt after `failures` failed attempts: 5 s, 20 s, 80 s
 * and so on up to 6 hours, each multiplied by 0.75 to 1.25; not less than `retryAfterMs`.
 */
export function retryDelay(
  failures: number,
  { random, retryAfterMs = 0 }: { readonly random: () => number; readonly retryAfterMs?: number },
): number {
  const base = Math.min(FIRST_DELAY_MS * FACTOR ** (failures - 1), MAX_DELAY_MS);
  const delay = Math.round(base * (0.75 + random() / 2));
  return Math.max(delay, Math.min(retryAfterMs, MAX_DELAY_MS));
}
