/** A connection that delivered nothing for too long, not even a heartbeat. */
export class StalledStreamError extends Error {
  override readonly name = 'StalledStreamError';
}

/** Resolves with the next part of a stream. @throws StalledStreamError when it does not come in time */
export async function withStallLimit<T>(part: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new StalledStreamError(`The event stream delivered nothing for ${ms} ms`)),
    ms,
  );
  try {
    return await Promise.race([part, late]);
  } finally {
    clearTimeout(timer);
  }
}
