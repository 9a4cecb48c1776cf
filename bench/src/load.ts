/** How much is done in one round, with each subject. */
export interface Load {
  readonly rounds: number;
  /** Calls before anything is measured, a tenth of them one after the other, so that the code is compiled. */
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

export const fullLoad: Load = { rounds: 5, warmUpCalls: 40_000, sequentialCalls: 10_000, concurrentCalls: 30_000, lists: 500, floods: 30, starts: 5 };
export const quickLoad: Load = { rounds: 1, warmUpCalls: 2000, sequentialCalls: 500, concurrentCalls: 4000, lists: 20, floods: 2, starts: 1 };
