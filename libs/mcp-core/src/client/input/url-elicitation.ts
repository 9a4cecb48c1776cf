import { withinLimit } from '../../jsonrpc/bounded-waits.ts';
import type { ClientConnection } from '../connection/client-connection.ts';

const COMPLETE = 'notifications/elicitation/complete';

/**
 * The URL elicitations that a server of 2025-11-25 requires before it serves a request. Tracks, from construction until `stop`, which of them the server
 * announces as complete.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#completion-notifications-for-url-mode-elicitation
 */
export class UrlElicitations {
  readonly #pending: Set<string>;
  readonly #completed = Promise.withResolvers<true>();
  readonly #stopListening: () => void;

  constructor(connection: ClientConnection, elicitationIds: Iterable<string>) {
    this.#pending = new Set(elicitationIds);
    const isAnnounced = this.#pending.size > 0;
    this.#stopListening = connection.listen(({ method, params = {} }) => {
      if (method !== COMPLETE || typeof params.elicitationId !== 'string') return;
      this.#pending.delete(params.elicitationId);
      if (isAnnounced && this.#pending.size === 0) this.#completed.resolve(true);
    });
  }

  /** Resolves with whether the server announces every elicitation as complete within the limit. */
  async completed(limitMs: number): Promise<boolean> {
    return (await withinLimit(this.#completed.promise, limitMs)) ?? false;
  }

  stop(): void {
    this.#stopListening();
  }
}
