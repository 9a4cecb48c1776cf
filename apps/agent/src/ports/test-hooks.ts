/** Time, so that tests can own it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `callback` once after `ms`; returns the cancel function. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

/** The closed list of places where a test may kill the process. */
export const CRASH_POINTS = ['before-model-call', 'after-model-call', 'before-tool-send', 'during-tool-call', 'after-tool-result', 'after-tool-commit'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Called when execution reaches a point; production does nothing. */
export type CrashPoints = (point: CrashPoint) => void;
