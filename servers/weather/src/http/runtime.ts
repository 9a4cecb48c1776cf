import { pause } from './pause.ts';

/** Clock, random numbers and delays, replaceable in tests. */
export interface Runtime {
  /** Returns the milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const realRuntime: Runtime = {
  now: Date.now,
  random: Math.random,
  pause,
};
