import type { Root } from '../../protocol/client-features.ts';
import { LocalError } from '../../protocol/errors.ts';

/** Default time limit for `roots/list` outside a request. */
export const DEFAULT_ROOTS_TIMEOUT_MS = 2000;

/** The roots of a legacy session, which are fetched again after `forget`. */
export class SessionRoots {
  readonly #fetch: (signal: AbortSignal) => Promise<readonly Root[]>;
  #roots: Promise<readonly Root[]> | undefined;

  /** `fetch` sends `roots/list`. */
  constructor(fetch: (signal: AbortSignal) => Promise<readonly Root[]>) {
    this.#fetch = fetch;
  }

  /** Resolves with the roots. Rejects with LocalError `request-timeout` after the limit, and with the client's error. A failure is not cached. */
  list(timeoutMs = DEFAULT_ROOTS_TIMEOUT_MS): Promise<readonly Root[]> {
    this.#roots ??= this.#list(timeoutMs);
    return this.#roots;
  }

  forget(): void {
    this.#roots = undefined;
  }

  async #list(timeoutMs: number): Promise<readonly Root[]> {
    const timeout = new AbortController();
    const timer = setTimeout(() => {
      timeout.abort(
        new LocalError(
          'request-timeout',
          `The client did not respond to roots/list within ${timeoutMs} ms`,
          { sent: true },
        ),
      );
    }, timeoutMs);
    try {
      return await this.#fetch(timeout.signal);
    } catch (error) {
      this.#roots = undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
