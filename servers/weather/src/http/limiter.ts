/** Runs at most `limit` tasks at once; the others wait in order. */
export class Limiter {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Runs a task in its turn. Rejects with the signal's reason when it aborts while the task waits;
   * a running task must handle the signal itself.
   */
  async run<Value>(signal: AbortSignal, task: () => Promise<Value>): Promise<Value> {
    await this.#acquire(signal);
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running < this.#limit) {
      this.#running += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => {
      const index = this.#waiting.indexOf(resolve);
      if (index !== -1) this.#waiting.splice(index, 1);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push(resolve);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Passes a free slot directly to the first waiting task, so that no other task can take it. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}
