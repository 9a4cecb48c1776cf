/** Time, so that tests can own it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `callback` once after `ms`; returns the cancel function. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}
