import { setImmediate, setTimeout } from 'node:timers/promises';

/** Maximum computation without a pause, in milliseconds. */
export const SLICE_MS = 2;
/** Computation with short pauses only, in milliseconds. */
export const BURST_MS = 40;
/** Maximum share of time for computation after the burst. */
export const SHARE = 0.1;
/** Maximum milliseconds counted for one slice, which limits a delay to a quarter of a second. */
const MAX_SLICE_MS = 25;

export interface Timing {
  /** Returns milliseconds of a monotonic clock. */
  now(): number;
  /**
   * Returns the milliseconds that the thread has computed, so that a busy machine does not slow a
   * stream down.
   */
  computed(): number;
  /** Resolves after a turn of the event loop. */
  turn(): Promise<void>;
  delay(ms: number): Promise<void>;
}

const REAL: Timing = {
  now: () => performance.now(),
  computed() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
  turn: () => setImmediate(),
  delay: (ms) => setTimeout(ms),
};

/** Work without a turn of the event loop. */
interface Slice {
  /** Milliseconds that the thread had computed. */
  readonly from: number;
  readonly begunAt: number;
}

/**
 * Keeps a stream from blocking the event loop. Pauses after each slice of work, and delays
 * continuous work after a burst to a tenth of the time. A stream that waits for its server never
 * pauses.
 */
export class Pacer {
  readonly #timing: Timing;
  #creditMs = BURST_MS;
  #creditedAt: number;
  #slice: Slice | undefined;

  constructor(timing: Timing = REAL) {
    this.#timing = timing;
    this.#creditedAt = timing.now();
  }

  /** Resolves when the next piece of work may start; `undefined` when it may start at once. */
  next(): Promise<void> | undefined {
    if (this.#slice === undefined) {
      this.#startSlice();
      return undefined;
    }
    // Asking for the time is cheaper than for the computation, which is never longer.
    if (this.#timing.now() - this.#slice.begunAt < SLICE_MS) return undefined;
    const workMs = this.#timing.computed() - this.#slice.from;
    return workMs < SLICE_MS ? undefined : this.#pause(Math.min(workMs, MAX_SLICE_MS));
  }

  async #pause(workMs: number): Promise<void> {
    const now = this.#timing.now();
    const refilled = this.#creditMs + (now - this.#creditedAt) * SHARE;
    this.#creditMs = Math.min(BURST_MS, refilled) - workMs;
    this.#creditedAt = now;
    if (this.#creditMs >= 0) await this.#timing.turn();
    else await this.#timing.delay(Math.ceil(-this.#creditMs / SHARE));
    this.#startSlice();
  }

  #startSlice(): void {
    const slice = { from: this.#timing.computed(), begunAt: this.#timing.now() };
    this.#slice = slice;
    void this.#endSlice(slice);
  }

  /** Ends the slice with the next turn of the event loop, unless a later slice has started. */
  async #endSlice(slice: Slice): Promise<void> {
    await this.#timing.turn();
    if (this.#slice === slice) this.#slice = undefined;
  }
}
