import { MAX_TIMER_MS } from '../../jsonrpc/bounded-waits.ts';

/**
 * A timer for many deadlines. A deadline that is postponed or removed need not be reported: the callback checks which deadlines are due. Times are those
 * of `performance.now()`.
 */
export class DeadlineTimer {
  readonly #onFire: () => void;
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Infinity;
  #isIdle = false;

  constructor(onFire: () => void) {
    this.#onFire = onFire;
  }

  /** Makes the timer fire at this time or earlier. */
  fireBy(time: number): void {
    if (time < this.#firesAt) {
      this.#set(time);
    } else if (this.#isIdle) {
      this.#isIdle = false;
      this.#timer?.ref();
    }
  }

  /** Stops keeping the process alive until the next deadline. Cheaper than `stop` when that deadline comes soon. */
  idle(): void {
    this.#isIdle = true;
    this.#timer?.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#firesAt = Infinity;
  }

  #set(time: number): void {
    clearTimeout(this.#timer);
    this.#isIdle = false;
    this.#firesAt = time;
    const delayMs = Math.min(Math.max(Math.ceil(time - performance.now()), 0), MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#firesAt = Infinity;
      this.#onFire();
    }, delayMs);
  }
}
