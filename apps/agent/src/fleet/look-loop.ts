import type { Clock } from '../ports/clock.ts';
import type { SignalBus } from '../ports/signal-bus.ts';

/** Milliseconds between two reads of the store: the longest delay that a lost signal causes. */
export const LOOK_EVERY_MS = 1000;

/**
 * Reads the store at each signal about servers, and every second, because signals can be lost. Reads
 * do not overlap.
 */
export class LookLoop {
  readonly #clock: Clock;
  readonly #look: () => Promise<void>;
  readonly #unsubscribe: () => void;
  #stopTimer: () => void = () => undefined;
  #looking: Promise<void> | undefined;
  #isDue = false;
  #isClosed = false;

  /** Starts the loop. `look` reads the store and must not reject. */
  constructor(clock: Clock, bus: SignalBus, look: () => Promise<void>) {
    this.#clock = clock;
    this.#look = look;
    this.#unsubscribe = bus.subscribe('servers', () => this.#begin());
    this.#schedule();
  }

  /** Ends the loop and resolves when the current read has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    this.#unsubscribe();
    await this.#looking;
  }

  #schedule(): void {
    this.#stopTimer();
    if (!this.#isClosed) this.#stopTimer = this.#clock.after(LOOK_EVERY_MS, () => this.#begin());
  }

  #begin(): void {
    this.#isDue = true;
    this.#looking ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      await this.#look();
    }
    this.#looking = undefined;
    this.#schedule();
  }
}
