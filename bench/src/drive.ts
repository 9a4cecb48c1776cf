/**
 * Runs `call` `total` times with `inFlight` of them at once and resolves with the milliseconds it took.
 * @throws what a call throws
 */
export async function drive(total: number, inFlight: number, call: () => Promise<void>): Promise<number> {
  let started = 0;
  const work = async (): Promise<void> => {
    while (started < total) {
      started += 1;
      await call();
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: inFlight }, work));
  return performance.now() - start;
}
