import { MAX_TIMER_MS } from '../../jsonrpc/bounded-waits.ts';

/**
 * One timer for many deadlines, which need not be told when they move away or go: whoever is called when it fires looks for what is due. Times are those of
 * `performance.now()`.
 */
export class DeadlineTimer {
  readonly #onFire: () => void;
  #timer: NodeJS.Timeout | undefined;
  #firesAt = Infinity;
  #isIdle = false;

  constructor(onFire: () => void) {
    this.#onFire = onFire;
  }

  /** Fires at this time or earlier. */
  fireBy(time: number): void {
    if (time < this.#firesAt) {
      this.#set(time);
    } else if (this.#isIdle) {
      this.#isIdle = false;
      this.#timer?.ref();
    }
  }

  /** Nothing waits for it at the moment: it no longer keeps the process alive. Cheaper than stopping it when the next deadline comes soon. */
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
