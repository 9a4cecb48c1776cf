import type { ByteBudget } from './byte-budget.ts';
import { withinLimit } from '../../jsonrpc/bounded-waits.ts';

/** A running response. */
export interface OpenExchange {
  /** Length of the request's body, which its handler holds. */
  readonly bodyBytes: number;
  /**
   * Sends a keep-alive when nothing was sent since the last call, so that proxies keep the
   * connection.
   */
  keepAlive(): void;
  /** Ends the exchange without a response. */
  abort(): void;
}

/** Bytes that a running request takes beside its body. */
const REQUEST_BYTES = 8192;

/** The running responses of a handler. */
export class OpenExchanges {
  readonly #open = new Set<OpenExchange>();
  readonly #requests: ByteBudget | undefined;
  #emptied: PromiseWithResolvers<void> | undefined;

  constructor(requests?: ByteBudget) {
    this.#requests = requests;
  }

  get size(): number {
    return this.#open.size;
  }

  add(exchange: OpenExchange): void {
    this.#open.add(exchange);
    this.#requests?.keep(REQUEST_BYTES + exchange.bodyBytes);
  }

  delete(exchange: OpenExchange): void {
    if (!this.#open.delete(exchange)) return;
    this.#requests?.free(REQUEST_BYTES + exchange.bodyBytes);
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
