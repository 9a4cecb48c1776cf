import type { JsonObject } from '../jsonrpc/messages.ts';
import type { Peer } from '../jsonrpc/peer.ts';

/** Notifications that may wait for a slow reader before log messages are dropped. */
const MAX_WAITING = 256;
const CHANGES = /^notifications\/(?:resources\/updated|\w+\/list_changed)$/u;

/**
 * The notifications a connection sends without waiting for their transport. While the peer does not read, log messages are dropped beyond 256 and a
 * change that already waits is not queued again. What fails because the connection ended is dropped, too.
 */
export class Outbox {
  readonly #peer: Peer;
  readonly #waitingChanges = new Set<string>();
  #waiting = 0;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  notify(method: string, params: JsonObject): void {
    if (method === 'notifications/message' && this.#waiting >= MAX_WAITING) return;
    const key = CHANGES.test(method) ? JSON.stringify([method, params]) : undefined;
    if (key !== undefined && this.#waitingChanges.has(key)) return;
    if (key !== undefined) this.#waitingChanges.add(key);
    this.#waiting += 1;
    const finish = (): void => {
      this.#waiting -= 1;
      if (key !== undefined) this.#waitingChanges.delete(key);
    };
    this.#peer.notify(method, params).then(finish, finish);
  }
}
