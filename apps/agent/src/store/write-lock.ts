/**
 * Milliseconds of consecutive transactions after which the event loop gets a turn, to keep serving
 * requests.
 */
const YIELD_AFTER_MS = 5;

/** Consecutive urgent transactions after which another transaction is run. */
const MAX_URGENT_IN_A_ROW = 8;

/**
 * Runs one write transaction at a time: urgent transactions, for which a client waits, before
 * others, and each kind in FIFO order.
 */
export class WriteLock {
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #isHeld = false;
  #urgentInARow = 0;
  #lastYield = performance.now();

  async run<T>(
    work: () => Promise<T>,
    { urgent = false }: { readonly urgent?: boolean } = {},
  ): Promise<T> {
    if (this.#isHeld)
      await new Promise<void>(
        (resolve) => void (urgent ? this.#urgent : this.#others).push(resolve),
      );
    this.#isHeld = true;
    try {
      if (performance.now() - this.#lastYield > YIELD_AFTER_MS) await this.#yield();
      return await work();
    } finally {
      this.#passOn();
    }
  }

  async #yield(): Promise<void> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    this.#lastYield = performance.now();
  }

  #passOn(): void {
    const isUrgent =
      this.#urgent.length > 0 &&
      (this.#others.length === 0 || this.#urgentInARow < MAX_URGENT_IN_A_ROW);
    const next = isUrgent ? this.#urgent.shift() : this.#others.shift();
    this.#urgentInARow = isUrgent ? this.#urgentInARow + 1 : 0;
    if (next === undefined) this.#isHeld = false;
    else next();
  }
}
