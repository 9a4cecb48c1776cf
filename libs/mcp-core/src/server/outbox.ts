import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Peer } from '../jsonrpc/peer.ts';

/** Notifications that may wait for a slow reader before log messages are dropped. */
const MAX_WAITING = 256;

/**
 * The notifications a connection sends without waiting for their transport. While the peer does not read, log messages are dropped beyond 256 and each
 * change waits once. What fails because the connection ended is dropped, too.
 */
export class Outbox {
  readonly #peer: Peer;
  /** The changes that wait, and whether each goes out once more after that. */
  readonly #changes = new Map<string, (() => boolean) | undefined>();
  #waiting = 0;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  notify(method: string, params: JsonObject): void {
    if (method === 'notifications/message' && this.#waiting >= MAX_WAITING) return;
    void this.#send(method, params);
  }

  /**
   * Tells of a change. The peer may have acted on a notification that still waits here for the bytes behind it, so a change that happens again is
   * told again after that, once, if `isWanted` then says so.
   */
  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void {
    const key = JSON.stringify([method, params]);
    if (this.#changes.has(key)) {
      this.#changes.set(key, isWanted);
      return;
    }
    this.#changes.set(key, undefined);
    void this.#send(method, params).finally(() => {
      const isWantedAgain = this.#changes.get(key);
      this.#changes.delete(key);
      if (isWantedAgain?.() === true) this.notifyChange(method, params, isWantedAgain);
    });
  }

  /** Never rejects. */
  async #send(method: string, params: JsonObject): Promise<void> {
    this.#waiting += 1;
    await this.#peer.notify(method, params).catch(() => undefined);
    this.#waiting -= 1;
  }
}
