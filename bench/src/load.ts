/** How much is done in one round, with each subject. */
export interface Load {
  readonly rounds: number;
  /** Calls before anything is measured, so that the code is compiled. */
  readonly warmUpCalls: number;
  /** Calls one after the other. */
  readonly sequentialCalls: number;
  /** Calls with 64 in flight. */
  readonly concurrentCalls: number;
  readonly lists: number;
  /** Calls that are answered after `FLOOD_NOTIFICATIONS` progress notifications. */
  readonly floods: number;
  /** Processes started. */
  readonly starts: number;
}

export const CALLS_IN_FLIGHT = 64;
export const FLOOD_NOTIFICATIONS = 2000;

export const fullLoad: Load = { rounds: 5, warmUpCalls: 4000, sequentialCalls: 5000, concurrentCalls: 20_000, lists: 200, floods: 10, starts: 5 };
export const quickLoad: Load = { rounds: 1, warmUpCalls: 500, sequentialCalls: 500, concurrentCalls: 2000, lists: 20, floods: 2, starts: 1 };

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
