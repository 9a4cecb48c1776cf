/** The outcome of the work, or `undefined` when it takes longer. The work goes on. */
export async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, limitMs, undefined);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
