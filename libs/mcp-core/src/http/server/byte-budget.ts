/** A request or response whose bytes count in a budget. */
export interface ByteHolder {
  /** Ends the request or response, because others need its bytes. */
  evict(): void;
}

/**
 * A limit on the bytes that the clients of a handler make it hold. Beyond it, the holder that has
 * held its bytes longest is evicted: a client that sends or reads quickly is rarely affected.
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

  /** Sets the bytes of a holder. Evicts the oldest holders, at last this one, while there are too many. */
  hold(holder: ByteHolder, bytes: number): void {
    this.#bytes += bytes - (this.#holders.get(holder) ?? 0);
    this.#holders.set(holder, bytes);
    for (const oldest of this.#holders.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.release(oldest);
      oldest.evict();
    }
  }

  /** Has no effect when the holder holds nothing. */
  release(holder: ByteHolder): void {
    this.#bytes -= this.#holders.get(holder) ?? 0;
    this.#holders.delete(holder);
  }

  /** Counts bytes that cannot be evicted, until `free`. */
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
