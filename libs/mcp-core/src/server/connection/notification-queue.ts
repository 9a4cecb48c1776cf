import type { JsonObject, RequestId } from '../../jsonrpc/messages.ts';
import { TAKEN, type SendOptions } from '../../jsonrpc/transport.ts';

/** Notifications that may wait for a slow reader before log messages are dropped. */
const MAX_WAITING = 256;

/** Where notifications go that nobody waits for. */
export interface NotificationSink {
  /** Whether the peer reads so slowly that what can be left out is left out. */
  readonly isCongested: boolean;
  /** `relatedTo` is the request of the peer it is sent for. What is returned never rejects and resolves when the peer can take more; nobody need wait for it. */
  notify(method: string, params: JsonObject, relatedTo?: RequestId): PromiseLike<void>;
  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void;
}

export interface NotificationSender {
  notify(method: string, params: JsonObject, options?: SendOptions): Promise<void>;
}

/**
 * The notifications a connection sends without waiting for their transport. While the peer does not read, log messages are dropped beyond 256 and each
 * change waits once. What fails because the connection ended is dropped, too.
 */
export class NotificationQueue implements NotificationSink {
  readonly #sender: NotificationSender;
  /** The changes that wait, and whether each goes out once more after that; most sessions have none. */
  #changes: Map<string, (() => boolean) | undefined> | undefined;
  #waiting = 0;

  constructor(sender: NotificationSender) {
    this.#sender = sender;
  }

  get isCongested(): boolean {
    return this.#waiting >= MAX_WAITING;
  }

  notify(method: string, params: JsonObject, relatedTo?: RequestId): PromiseLike<void> {
    if (method === 'notifications/message' && this.isCongested) return TAKEN;
    return this.#send(method, params, relatedTo);
  }

  /**
   * Tells of a change. The peer may have acted on a notification that still waits here for the bytes behind it, so a change that happens again is
   * told again after that, once, if `isWanted` then says so.
   */
  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void {
    const key = JSON.stringify([method, params]);
    this.#changes ??= new Map();
    const changes = this.#changes;
    if (changes.has(key)) {
      changes.set(key, isWanted);
      return;
    }
    changes.set(key, undefined);
    void this.#send(method, params).finally(() => {
      const isWantedAgain = changes.get(key);
      changes.delete(key);
      if (isWantedAgain?.() === true) this.notifyChange(method, params, isWantedAgain);
    });
  }

  /** Never rejects. */
  #send(method: string, params: JsonObject, relatedTo?: RequestId): Promise<void> {
    const sent = this.#sender.notify(
      method,
      params,
      relatedTo === undefined ? undefined : { relatedTo },
    );
    return sent === TAKEN ? sent : this.#wait(sent);
  }

  async #wait(sent: Promise<void>): Promise<void> {
    this.#waiting += 1;
    await sent.catch(() => undefined);
    this.#waiting -= 1;
  }
}
