/**
 * Bytes of each message that do not count: ordinary messages are received even when the budget is
 * exhausted.
 */
const FREE_BYTES = 256 * 1024;

/** A limit on the bytes of incomplete messages, shared by all connections of a host. */
export class MessageBudget {
  #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Raises the limit to at least `maxBytes`. */
  raiseTo(maxBytes: number): void {
    this.#maxBytes = Math.max(this.#maxBytes, maxBytes);
  }

  /** Reserves bytes. Returns false, and reserves nothing, when the budget has too few left. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#maxBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Returns bytes to the budget. */
  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** The reservation of one incomplete message: its bytes over 256 KiB. */
export class BudgetShare {
  readonly #budget: MessageBudget | undefined;
  #size = 0;
  #taken = 0;

  constructor(budget: MessageBudget | undefined) {
    this.#budget = budget;
  }

  /** Reserves more bytes. Returns false when the budget has too few left. */
  grow(bytes: number): boolean {
    if (this.#budget === undefined) return true;
    this.#size += bytes;
    const more = this.#size - FREE_BYTES - this.#taken;
    if (more <= 0) return true;
    if (!this.#budget.take(more)) return false;
    this.#taken += more;
    return true;
  }

  /** Releases the reservation, when the message is complete or discarded. */
  release(): void {
    this.#budget?.give(this.#taken);
    this.#size = 0;
    this.#taken = 0;
  }
}
