import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { isBusy } from './reader.ts';

const RETRY_MS = 100;

/** A client of the API that repeats each request until it gets a response, under one idempotency key. */
export class RetryingClient {
  readonly url: string;
  readonly #signal: AbortSignal;
  readonly #hasKeys: boolean;

  /** Without keys, a repeated request is a new one. */
  constructor(
    url: string,
    { signal, hasKeys }: { readonly signal: AbortSignal; readonly hasKeys: boolean },
  ) {
    this.url = url;
    this.#signal = signal;
    this.#hasKeys = hasKeys;
  }

  /** @throws Error for a response that is not worth repeating, and when the signal aborts */
  async post<T>(path: string, key: string, body: object): Promise<T> {
    for (;;) {
      this.#signal.throwIfAborted();
      try {
        const response = await fetch(`${this.url}${path}`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'idempotency-key': this.#hasKeys ? key : randomUUID(),
          },
          body: JSON.stringify(body),
          signal: this.#signal,
        });
        const text = await response.text();
        if (response.ok) return JSON.parse(text) as T;
        if (!isBusy(response) && !text.includes('"retryable":true'))
          throw new Error(`POST ${path}: ${response.status} ${text}`);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
      await wait(RETRY_MS);
    }
  }
}
