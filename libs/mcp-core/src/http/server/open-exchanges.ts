import { withinLimit } from '../../jsonrpc/bounded-waits.ts';

/** An answer under way. */
export interface OpenExchange {
  /** Sends something when nothing was sent since the last call, so that nobody between takes the connection for dead. */
  keepAlive(): void;
  /** Ends it without an answer. */
  abort(): void;
}

/** The answers under way in a handler. */
export class OpenExchanges {
  readonly #open = new Set<OpenExchange>();
  #emptied: PromiseWithResolvers<void> | undefined;

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

  /** Resolves when all are answered, at the latest after the limit. */
  async drained(limitMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    this.#emptied ??= Promise.withResolvers<void>();
    await withinLimit(this.#emptied.promise, limitMs);
  }

  abort(): void {
    for (const exchange of this.#open) exchange.abort();
  }
}
