/** Bytes of a message that count for no budget: ordinary messages are received whatever the others do. */
const FREE_BYTES = 256 * 1024;

/** Bytes of unfinished messages that connections may hold together; one for all connections of a host. */
export class MessageBudget {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** False when there is no room for so many bytes; nothing is taken then. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#maxBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** The part of a budget that one message takes while it arrives: what it has over 256 KiB. */
export class BudgetShare {
  readonly #budget: MessageBudget | undefined;
  #size = 0;
  #taken = 0;

  constructor(budget: MessageBudget | undefined) {
    this.#budget = budget;
  }

  /** Counts bytes that are to be held. False when there is no room for them. */
  grow(bytes: number): boolean {
    if (this.#budget === undefined) return true;
    this.#size += bytes;
    const more = this.#size - FREE_BYTES - this.#taken;
    if (more <= 0) return true;
    if (!this.#budget.take(more)) return false;
    this.#taken += more;
    return true;
  }

  /** The message is complete, or nothing more of it is held. */
  release(): void {
    this.#budget?.give(this.#taken);
    this.#size = 0;
    this.#taken = 0;
  }
}
