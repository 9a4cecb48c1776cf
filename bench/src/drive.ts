export interface Drive {
  /** Calls to make. */
  readonly total: number;
  /** Calls in flight. */
  readonly inFlight: number;
  /** Milliseconds after which no further call starts; default none. */
  readonly limitMs?: number | undefined;
}

export interface Driven {
  readonly made: number;
  readonly elapsedMs: number;
}

/**
 * Calls again and again.
 * @throws what a call throws
 */
export async function drive(
  { total, inFlight, limitMs = Infinity }: Drive,
  call: () => Promise<void>,
): Promise<Driven> {
  const start = performance.now();
  let made = 0;
  const work = async (): Promise<void> => {
    while (made < total && performance.now() - start < limitMs) {
      made += 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  return { made, elapsedMs: performance.now() - start };
}
