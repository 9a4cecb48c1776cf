/** Holds bytes of a budget that it can give up. */
export interface ByteHolder {
  /** Frees the bytes, because others need them. */
  giveUp(): void;
}

/**
 * A limit on the bytes that the clients of a handler make it hold. Beyond it, the holder that has
 * held its bytes longest gives them up: a client that sends or reads quickly is rarely affected.
 */
export class ByteBudget {
  readonly #maxBytes: number;
  /** In the order in which they began to hold bytes. */
  readonly #holders = new Map<ByteHolder, number>();
  #bytes = 0;

  constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Sets the bytes of a holder. Holders give theirs up while there are too many, also this one. */
  hold(holder: ByteHolder, bytes: number): void {
    this.#bytes += bytes - (this.#holders.get(holder) ?? 0);
    this.#holders.set(holder, bytes);
    for (const oldest of this.#holders.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.release(oldest);
      oldest.giveUp();
    }
  }

  /** Has no effect when the holder holds nothing. */
  release(holder: ByteHolder): void {
    this.#bytes -= this.#holders.get(holder) ?? 0;
    this.#holders.delete(holder);
  }

  /** Counts bytes that cannot be given up, until `free`. */
  keep(bytes: number): void {
    this.#bytes += bytes;
  }

  free(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** The budgets of a handler. */
export interface HandlerMemory {
  /** Requests that arrive or run. */
  readonly requests: ByteBudget;
  /** Responses that are not read. */
  readonly unsent: ByteBudget;
}
