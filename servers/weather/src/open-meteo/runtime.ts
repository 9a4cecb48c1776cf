import { setTimeout as delay } from 'node:timers/promises';

/** Time and chance. */
export interface Runtime {
  /** Milliseconds since the epoch. */
  now(): number;
  /** 0 up to 1. */
  random(): number;
  /** Rejects when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

export const realRuntime: Runtime = {
  now: Date.now,
  random: Math.random,
  pause: (ms, signal) => delay(ms, undefined, { signal }),
};
