/** Returns a signal that is aborted with the given one, and when an attempt takes too long. */
export function attemptSignal(signal: AbortSignal | undefined, limitMs: number): AbortSignal {
  const limit = AbortSignal.timeout(limitMs);
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}
