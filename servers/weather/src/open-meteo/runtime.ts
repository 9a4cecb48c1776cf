import { pause } from '../pause.ts';

/** Time and chance. */
export interface Runtime {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** 0 up to 1. */
  readonly random: () => number;
  /** Rejects with the signal's reason when it aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const realRuntime: Runtime = {
  now: Date.now,
  random: Math.random,
  pause,
};
