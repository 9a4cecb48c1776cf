import type { JsonObject, RequestId } from '../../jsonrpc/messages.ts';
import type { SendOptions } from '../../jsonrpc/transport.ts';

/** Number of pending notifications beyond which log messages are dropped. */
const MAX_WAITING = 256;

/** Receives notifications that need not be awaited. */
export interface NotificationSink {
  /** Whether the client reads so slowly that optional notifications are dropped. */
  readonly isCongested: boolean;
  /** Sends a notification; `relatedTo` is the client's request to which it belongs. Resolves when the client can take more, `undefined` when it can immediately; never rejects. */
  notify(method: string, params: JsonObject, relatedTo?: RequestId): PromiseLike<void> | undefined;
  /** Announces a change. `isWanted` is checked before each repetition. */
  notifyChange(method: string, params: JsonObject, isWanted: () => boolean): void;
}

export interface NotificationSender {
  notify(method: string, params: JsonObject, options?: SendOptions): Promise<void> | undefined;
}

/**
 * The notifications of a connection that wait for its transport. While the client does not read, log messages beyond 256 are dropped and each change waits
 * once. Failures after the end of the connection are ignored.
 */
export class NotificationQueue implements NotificationSink {
  readonly #sender: NotificationSender;
  /** The pending changes, each with the check for its repetition. Created on first use: most sessions have none. */
  #changes: Map<string, (() => boolean) | undefined> | undefined;
  #waiting = 0;

  constructor(sender: NotificationSender) {
    this.#sender = sender;
  }

  get isCongested(): boolean {
    return this.#waiting >= MAX_WAITING;
  }

  notify(method: string, params: JsonObject, relatedTo?: RequestId): PromiseLike<void> | undefined {
    if (method === 'notifications/message' && this.isCongested) return undefined;
    return this.#send(method, params, relatedTo);
  }

  /**
   * Announces a change. The client may have acted on a notification that still counts as pending here, so a change that happens again is announced once more
   * after it, if `isWanted` then returns true.
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
    void (this.#send(method, params) ?? Promise.resolve()).finally(() => {
      const isWantedAgain = changes.get(key);
      changes.delete(key);
      if (isWantedAgain?.() === true) this.notifyChange(method, params, isWantedAgain);
    });
  }

  /** Never rejects. */
  #send(method: string, params: JsonObject, relatedTo?: RequestId): Promise<void> | undefined {
    const sent = this.#sender.notify(
      method,
      params,
      relatedTo === undefined ? undefined : { relatedTo },
    );
    return sent && this.#wait(sent);
  }

  async #wait(sent: Promise<void>): Promise<void> {
    this.#waiting += 1;
    await sent.catch(() => undefined);
    this.#waiting -= 1;
  }
}
