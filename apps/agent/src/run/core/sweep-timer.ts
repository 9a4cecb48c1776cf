import type { Clock } from '../../ports/clock.ts';

/**
 * Milliseconds between two sweeps: the longest delay before this process notices stored work of
 * other processes, or a jump of the clock.
 */
export const SWEEP_EVERY_MS = 2_000;

export interface SweepTimerOptions {
  readonly clock: Clock;
  /**
   * Does the work that is due at `now`. Resolves with the next stored deadline up to `until`, if there
   * is one. Must not reject.
   */
  readonly sweep: (times: {
    readonly now: number;
    readonly until: number;
  }) => Promise<number | undefined>;
}

/** Runs a sweep every two seconds, and earlier when a stored deadline is due earlier. */
export class SweepTimer {
  readonly #options: SweepTimerOptions;
  #nextAt = Infinity;
  #cancel: () => void = () => undefined;
  #sweeping: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: SweepTimerOptions) {
    this.#options = options;
  }

  /**
   * Begins to sweep. Resolves after the first sweep, whose batches are limited; what it left is done
   * by the following sweeps, which may begin at once.
   */
  async start(): Promise<void> {
    const { promise: firstEnded, resolve } = Promise.withResolvers<void>();
    void this.#sweep(resolve);
    await firstEnded;
  }

  /** Moves the next sweep forward to `time`, if it is later. */
  wakeAt(time: number): void {
    if (time >= this.#nextAt) return;
    this.#nextAt = time;
    if (this.#sweeping === undefined) this.#arm();
  }

  /** Stops sweeping. Resolves when the sweep in progress has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#sweeping;
  }

  #arm(): void {
    this.#cancel();
    if (this.#isClosed) return;
    const waitMs = Math.max(0, this.#nextAt - this.#options.clock.now());
    // A clock that was set back does not extend the wait.
    this.#cancel = this.#options.clock.after(
      Math.min(waitMs, SWEEP_EVERY_MS),
      () => void this.#sweep(),
    );
  }

  async #sweep(onFirst: () => void = () => undefined): Promise<void> {
    const { clock, sweep } = this.#options;
    this.#sweeping = (async () => {
      do {
        const now = clock.now();
        const until = now + SWEEP_EVERY_MS;
        this.#nextAt = until;
        const next = await sweep({ now, until });
        onFirst();
        this.#nextAt = Math.min(this.#nextAt, next ?? Infinity);
        // The clock may have passed the next deadline meanwhile.
      } while (!this.#isClosed && clock.now() >= this.#nextAt);
    })();
    await this.#sweeping;
    this.#sweeping = undefined;
    this.#arm();
  }
}
