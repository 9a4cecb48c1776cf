/** Longer delays make a timer fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The outcome of the work, or `undefined` when it takes longer. The work goes on. */
export async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, Math.min(limitMs, MAX_TIMER_MS), undefined);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
