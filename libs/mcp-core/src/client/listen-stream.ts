import { MetaKey, metaOf } from '../era/meta-keys.ts';
import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { JsonRpcNotification } from '../jsonrpc/messages.ts';
import type { OutgoingRequest } from '../jsonrpc/peer.ts';
import { LocalError } from '../protocol/errors.ts';
import type { SubscriptionFilter } from '../protocol/resources.ts';
import type { Watch } from './client.ts';
import type { Connection } from './connection.ts';
import { readAnswer } from './read-answer.ts';
import { RequestClock } from './request-clock.ts';

export interface ListenOptions {
  readonly filter: SubscriptionFilter;
  readonly onUpdated: (uri: string) => void;
  /** How long the acknowledgment may take. */
  readonly timeoutMs: number;
}

const METHOD = 'subscriptions/listen';

/**
 * Opens a modern notification stream and resolves when the server has acknowledged it.
 * @throws ProtocolError when the server refuses; LocalError `request-timeout`, `connection-lost`, `invalid-response`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export async function openListenStream(connection: Connection, options: ListenOptions): Promise<Watch> {
  const stream = new ListenStream(connection, options);
  await stream.acknowledged;
  return stream;
}

class ListenStream implements Watch {
  /** Rejects when the stream ended first. */
  readonly acknowledged: Promise<void>;
  readonly #connection: Connection;
  readonly #request: OutgoingRequest;
  readonly #onUpdated: (uri: string) => void;
  readonly #clock: RequestClock;
  readonly #stopListening: () => void;
  readonly #acknowledgment = Promise.withResolvers<void>();
  #filter: SubscriptionFilter = {};
  #isOpen = true;

  constructor(connection: Connection, { filter, onUpdated, timeoutMs }: ListenOptions) {
    this.#connection = connection;
    this.#onUpdated = onUpdated;
    this.acknowledged = this.#acknowledgment.promise;
    this.#request = connection.send(METHOD, { notifications: filter });
    this.#stopListening = connection.listen((notification) => this.#notified(notification));
    this.#clock = new RequestClock({ inactivityMs: timeoutMs, maxTotalMs: Infinity }, (problem) => {
      this.#cancel('The subscription was not acknowledged in time');
      this.#acknowledgment.reject(new LocalError('request-timeout', `${METHOD} timed out: ${problem}.`, { sent: true }));
    });
    this.#clock.run();
    void this.#awaitAnswer();
  }

  get filter(): SubscriptionFilter {
    return this.#filter;
  }

  close(): Promise<void> {
    this.#cancel('The subscription is no longer needed');
    return Promise.resolve();
  }

  #notified({ method, params = {} }: JsonRpcNotification): void {
    if (method === 'notifications/cancelled' && params.requestId === this.#request.id) {
      this.#endedByServer();
    } else if (metaOf(params)[MetaKey.subscriptionId] !== this.#request.id) {
      return;
    } else if (method === 'notifications/subscriptions/acknowledged') {
      this.#clock.stop();
      this.#filter = readFilter(params.notifications);
      this.#acknowledgment.resolve();
    } else if (method === 'notifications/resources/updated' && typeof params.uri === 'string') {
      this.#onUpdated(params.uri);
    }
  }

  /** A server that ends the stream sends a result, a cancellation or both. */
  async #awaitAnswer(): Promise<void> {
    try {
      readAnswer(METHOD, await this.#request.answer);
      this.#endedByServer();
    } catch (error) {
      this.#end();
      this.#acknowledgment.reject(error);
    }
  }

  #endedByServer(): void {
    this.#end();
    this.#acknowledgment.reject(new LocalError('invalid-response', `The server ended ${METHOD} without acknowledging it.`, { sent: true }));
  }

  #cancel(reason: string): void {
    if (this.#isOpen) {
      this.#end();
      this.#connection.cancel(this.#request, reason);
    }
  }

  #end(): void {
    this.#isOpen = false;
    this.#clock.stop();
    this.#stopListening();
  }
}

/** The URIs and the types that are switched on. */
function readFilter(value: unknown): SubscriptionFilter {
  const filter = isJsonObject(value) ? value : {};
  const { resourceSubscriptions } = filter;
  return {
    ...(filter.toolsListChanged === true ? { toolsListChanged: true } : {}),
    ...(filter.promptsListChanged === true ? { promptsListChanged: true } : {}),
    ...(filter.resourcesListChanged === true ? { resourcesListChanged: true } : {}),
    ...(Array.isArray(resourceSubscriptions) ? { resourceSubscriptions: resourceSubscriptions.filter((uri) => typeof uri === 'string') } : {}),
  };
}
