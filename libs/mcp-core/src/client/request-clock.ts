export interface RequestLimits {
  /** Milliseconds without a sign of life. */
  readonly inactivityMs: number;
  /** Milliseconds in all. */
  readonly maxTotalMs: number;
}

/** Longer delays make a timer fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Calls `onExpired` once, when a limit has passed. A limit beyond what timers can hold (24 days), `Infinity` too, is none. */
export class RequestClock {
  readonly #limits: RequestLimits;
  readonly #onExpired: (problem: string) => void;
  #inactivity: NodeJS.Timeout | undefined;
  #total: NodeJS.Timeout | undefined;
  #totalLeftMs: number;
  #resumedAt = 0;
  #state: 'running' | 'paused' | 'stopped' = 'paused';

  constructor(limits: RequestLimits, onExpired: (problem: string) => void) {
    this.#limits = limits;
    this.#totalLeftMs = limits.maxTotalMs;
    this.#onExpired = onExpired;
  }

  /** A sign of life: the inactivity limit counts anew. */
  restart(): void {
    clearTimeout(this.#inactivity);
    if (this.#state === 'running') {
      const { inactivityMs } = this.#limits;
      this.#inactivity = this.#expireAfter(inactivityMs, `nothing was heard of it for ${inactivityMs} ms`);
    }
  }

  /** Starts the clock, or goes on after a pause: the inactivity limit counts anew, the total limit from where it stopped. */
  run(): void {
    if (this.#state === 'paused') {
      this.#state = 'running';
      this.#resumedAt = performance.now();
      this.#total = this.#expireAfter(this.#totalLeftMs, `it was not answered within ${this.#limits.maxTotalMs} ms`);
      this.restart();
    }
  }

  pause(): void {
    if (this.#state === 'running') {
      this.#state = 'paused';
      this.#totalLeftMs -= performance.now() - this.#resumedAt;
      this.#clear();
    }
  }

  stop(): void {
    this.#state = 'stopped';
    this.#clear();
  }

  #clear(): void {
    clearTimeout(this.#inactivity);
    clearTimeout(this.#total);
  }

  #expireAfter(limitMs: number, problem: string): NodeJS.Timeout | undefined {
    if (limitMs > MAX_TIMER_MS) {
      return undefined;
    }
    return setTimeout(() => {
      this.stop();
      this.#onExpired(problem);
    }, limitMs);
  }
}
