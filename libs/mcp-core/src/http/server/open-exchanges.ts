import { withinLimit } from '../../jsonrpc/bounded-waits.ts';

/** A running response. */
export interface OpenExchange {
  /**
   * Sends a keep-alive when nothing was sent since the last call, so that proxies keep the
   * connection.
   */
  keepAlive(): void;
  /** Ends the exchange without a response. */
  abort(): void;
}

/** The running responses of a handler. */
export class OpenExchanges {
  readonly #open = new Set<OpenExchange>();
  #emptied: PromiseWithResolvers<void> | undefined;

  get size(): number {
    return this.#open.size;
  }

  add(exchange: OpenExchange): void {
    this.#open.add(exchange);
  }

  delete(exchange: OpenExchange): void {
    this.#open.delete(exchange);
    if (this.#open.size === 0) this.#emptied?.resolve();
  }

  keepAlive(): void {
    for (const exchange of this.#open) exchange.keepAlive();
  }

  /** Resolves when all have ended, at the latest after the limit. */
  async drained(limitMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    this.#emptied ??= Promise.withResolvers<void>();
    await withinLimit(this.#emptied.promise, limitMs);
  }

  abort(): void {
    for (const exchange of this.#open) exchange.abort();
  }
}
