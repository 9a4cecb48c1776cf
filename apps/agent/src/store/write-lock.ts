/** After this long the event loop gets a turn between two transactions, so that requests are read and answered while many writes wait. */
const YIELD_AFTER_MS = 5;

/** So many urgent transactions in a row let one other transaction pass. */
const MAX_URGENT_IN_A_ROW = 8;

/** Lets one write transaction run at a time: urgent ones, which a client waits for, before the others, and each kind in the order in which it came. */
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
