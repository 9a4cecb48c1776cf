import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';

/** Milliseconds after which the nonce changes; the nonce before it is still accepted. */
const PERIOD_MS = 150_000;

/**
 * Nonces that change with time, without storage.
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-9
 */
export class DpopNonces {
  readonly #key = crypto.getRandomValues(new Uint8Array(32));

  get current(): string {
    return this.#at(0);
  }

  accepts(nonce: unknown): boolean {
    return nonce === this.#at(0) || nonce === this.#at(-1);
  }

  #at(offset: number): string {
    const period = Math.floor(Date.now() / PERIOD_MS) + offset;
    return nodeCrypto().createHmac('sha256', this.#key).update(String(period)).digest('base64url');
  }
}
