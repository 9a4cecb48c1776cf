/** Longest delay of a timer in milliseconds; a longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves with the outcome of the work, or with `undefined` when it takes longer. The work continues. */
export async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, Math.min(limitMs, MAX_TIMER_MS), undefined);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves with the outcome of the work, or rejects with the signal's reason when the signal aborts first. The work continues. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  return raceAbort(Promise.race([work, promise]), signal, () => reject(signal.reason as Error));
}

/** Resolves with the outcome of the work, or with `undefined` when the signal aborts first. The work continues. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (signal === undefined) return work;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return raceAbort(Promise.race([work, promise]), signal, () => resolve(undefined));
}

async function raceAbort<T>(
  race: Promise<T>,
  signal: AbortSignal,
  onAbort: () => void,
): Promise<T> {
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await race;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
