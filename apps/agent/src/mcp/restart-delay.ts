const FIRST_DELAY_MS = 1000;
const SLOW_DELAY_MS = 60_000;
const QUICK_RESTARTS = 5;
/** Share of the delay by which it may be longer. */
const JITTER = 0.25;

/**
 * Milliseconds to wait after the `failures`-th failure in a row (from 1): 1 s, doubling, for the first five, then 60 s; up to a quarter longer.
 * `random` gives 0 to 1.
 */
export function restartDelayMs(failures: number, random: () => number): number {
  const delayMs = failures > QUICK_RESTARTS ? SLOW_DELAY_MS : FIRST_DELAY_MS * 2 ** (failures - 1);
  return Math.round(delayMs * (1 + JITTER * random()));
}
