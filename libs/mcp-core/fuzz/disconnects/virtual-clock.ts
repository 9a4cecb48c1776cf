interface Timer {
  readonly call: () => void;
  readonly everyMs: number | undefined;
  dueAt: number;
}

/**
 * Replaces the clock and the timers of this process until `restore`. Time passes only in `advance`,
 * so that runs are repeatable and every timer that is left over is known.
 */
export class VirtualClock {
  readonly #timers = new Set<Timer>();
  readonly #real = { setTimeout, setInterval, clearTimeout, clearInterval, now: Date.now };
  #now = 1_800_000_000_000;

  constructor() {
    const start =
      (once: boolean) =>
      (call: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]): unknown =>
        this.#start(() => call(...args), Math.max(1, delayMs), once);
    const stop = (timer: unknown): void => {
      this.#timers.delete(timer as Timer);
    };
    Object.assign(globalThis, {
      setTimeout: start(true),
      setInterval: start(false),
      clearTimeout: stop,
      clearInterval: stop,
    });
    Date.now = () => this.#now;
  }

  /** Number of timers that have not fired, intervals included. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Lets time pass and fires the timers that are due, each once. */
  advance(ms: number): void {
    this.#now += ms;
    for (const timer of this.#timers) {
      if (timer.dueAt > this.#now) continue;
      if (timer.everyMs === undefined) this.#timers.delete(timer);
      else timer.dueAt = this.#now + timer.everyMs;
      timer.call();
    }
  }

  restore(): void {
    const { now, ...timers } = this.#real;
    Object.assign(globalThis, timers);
    Date.now = now;
  }

  #start(call: () => void, delayMs: number, once: boolean): Timer & { unref(): void } {
    const timer = {
      call,
      everyMs: once ? undefined : delayMs,
      dueAt: this.#now + delayMs,
      unref: () => undefined,
      ref: () => undefined,
    };
    this.#timers.add(timer);
    return timer;
  }
}
