import type { Clock } from '../ports/clock.ts';
import type { SignalBus } from '../ports/signal-bus.ts';

/** Milliseconds between two reads of the store: the longest delay that a lost signal causes. */
export const POLL_EVERY_MS = 1000;

/**
 * Reads the store at each signal about servers, and every second, because signals can be lost. Reads
 * do not overlap.
 */
export class PollLoop {
  readonly #clock: Clock;
  readonly #poll: () => Promise<void>;
  readonly #unsubscribe: () => void;
  #stopTimer: () => void = () => undefined;
  #polling: Promise<void> | undefined;
  #isDue = false;
  #isClosed = false;

  /** Starts the loop. `poll` reads the store and must not reject. */
  constructor(clock: Clock, bus: SignalBus, poll: () => Promise<void>) {
    this.#clock = clock;
    this.#poll = poll;
    this.#unsubscribe = bus.subscribe('servers', () => this.#begin());
    this.#schedule();
  }

  /** Ends the loop and resolves when the current read has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    this.#unsubscribe();
    await this.#polling;
  }

  #schedule(): void {
    this.#stopTimer();
    if (!this.#isClosed) this.#stopTimer = this.#clock.after(POLL_EVERY_MS, () => this.#begin());
  }

  #begin(): void {
    this.#isDue = true;
    this.#polling ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      await this.#poll();
    }
    this.#polling = undefined;
    this.#schedule();
  }
}
