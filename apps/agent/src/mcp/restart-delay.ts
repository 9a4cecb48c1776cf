const FIRST_DELAY_MS = 1000;
const SLOW_DELAY_MS = 60_000;
const QUICK_RESTARTS = 5;
/** Maximum jitter as a share of the delay. */
const JITTER = 0.25;

/**
 * Returns the restart delay in milliseconds after `failures` consecutive failures: 1 s, doubling,
 * for the first five, then 60 s, plus up to a quarter. `random` returns 0 to 1.
 */
export function restartDelayMs(failures: number, random: () => number): number {
  const delayMs = failures > QUICK_RESTARTS ? SLOW_DELAY_MS : FIRST_DELAY_MS * 2 ** (failures - 1);
  return Math.round(delayMs * (1 + JITTER * random()));
}
