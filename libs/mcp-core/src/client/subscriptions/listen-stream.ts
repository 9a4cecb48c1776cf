import { MetaKey, metaOf } from '../../era/meta-keys.ts';
import { isJsonObject } from '../../jsonrpc/envelope.ts';
import type { JsonObject, JsonRpcNotification } from '../../jsonrpc/messages.ts';
import type { RequestOutcome } from '../../jsonrpc/outgoing-request.ts';
import { LocalError } from '../../protocol/errors.ts';
import { changedList, includesList, listFilter } from '../../protocol/list-changes.ts';
import type { SubscriptionFilter } from '../../protocol/resources.ts';
import type { ClientConnection } from '../connection/client-connection.ts';
import { DeadlineTimer } from '../requests/deadline-timer.ts';
import { aroundExchange } from '../extensions/middleware.ts';
import { readResponse } from '../requests/read-response.ts';
import type { Subscription, SubscriptionEnd, SubscriptionListener } from './subscription.ts';

export interface ListenOptions {
  readonly filter: SubscriptionFilter;
  readonly listener: SubscriptionListener;
  /** Time limit for the acknowledgment in milliseconds. */
  readonly timeoutMs: number;
  /** Called once when the server ends the acknowledged stream or the stream breaks; not after `close` or the end of the connection. */
  readonly onEnded: (end: SubscriptionEnd) => void;
}

const METHOD = 'subscriptions/listen';

/**
 * Opens a modern notification stream and resolves when the server has acknowledged it.
 * @throws ProtocolError when the server refuses; LocalError `request-timeout`, `connection-lost`, `invalid-response`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export async function openListenStream(
  connection: ClientConnection,
  options: ListenOptions,
): Promise<Subscription> {
  const stream = new ListenStream(connection, options);
  await stream.acknowledged;
  return stream;
}

class ListenStream implements Subscription {
  /** Rejects when the stream ends first. */
  readonly acknowledged: Promise<void>;
  readonly #connection: ClientConnection;
  readonly #options: ListenOptions;
  /** Settles when this side, or a notification of the server, ends the stream before its response. */
  readonly #withdrawn = Promise.withResolvers<RequestOutcome>();
  #requestId: number | undefined;
  readonly #timer: DeadlineTimer;
  readonly #stopListening: () => void;
  readonly #acknowledgment = Promise.withResolvers<void>();
  #filter: SubscriptionFilter = {};
  #state: 'opening' | 'open' | 'ended' = 'opening';

  constructor(connection: ClientConnection, options: ListenOptions) {
    this.#connection = connection;
    this.#options = options;
    this.acknowledged = this.#acknowledgment.promise;
    this.#withdrawn.promise.catch(() => undefined);
    this.#stopListening = connection.listen((notification) => this.#notified(notification));
    this.#timer = new DeadlineTimer(() => {
      this.#cancel('The subscription was not acknowledged in time');
      this.#acknowledgment.reject(
        new LocalError(
          'request-timeout',
          `${METHOD} timed out: it was not acknowledged within ${options.timeoutMs} ms.`,
          { sent: true },
        ),
      );
    });
    void this.#run({ notifications: options.filter });
  }

  get filter(): SubscriptionFilter {
    return this.#filter;
  }

  close(): Promise<void> {
    this.#cancel('The subscription is no longer needed');
    return Promise.resolve();
  }

  /** Runs the middleware around the stream, from the request that opens it to its end. Never rejects. */
  async #run(params: JsonObject): Promise<void> {
    try {
      const call = { method: METHOD, params, era: 'modern' } as const;
      this.#settled(
        await aroundExchange(this.#connection.middleware, call, (changed) => this.#send(changed)),
      );
    } catch (error) {
      this.#ended({ reason: toError(error), isBroken: false });
    }
  }

  #send(params: JsonObject): Promise<RequestOutcome> {
    if (this.#state === 'ended') return this.#withdrawn.promise;
    const { id, outcome } = this.#connection.send(METHOD, params);
    this.#requestId = id;
    const { timeoutMs } = this.#options;
    if (this.#state === 'opening' && Number.isFinite(timeoutMs))
      this.#timer.fireBy(performance.now() + timeoutMs);
    return Promise.race([outcome, this.#withdrawn.promise]);
  }

  #notified({ method, params = {} }: JsonRpcNotification): void {
    if (this.#requestId === undefined) return;
    if (method === 'notifications/cancelled' && params.requestId === this.#requestId) {
      this.#ended({ reason: endedByServer(), isBroken: false });
    } else if (metaOf(params)[MetaKey.subscriptionId] !== this.#requestId) {
      return;
    } else if (method === 'notifications/subscriptions/acknowledged') {
      this.#acknowledged(readFilter(params.notifications));
    } else if (method === 'notifications/resources/updated' && typeof params.uri === 'string') {
      this.#options.listener.updated(params.uri);
    } else {
      const list = changedList(method);
      if (list !== undefined) this.#options.listener.listChanged(list);
    }
  }

  #acknowledged(filter: SubscriptionFilter): void {
    if (this.#state !== 'opening') return;
    this.#state = 'open';
    this.#timer.stop();
    this.#filter = filter;
    this.#acknowledgment.resolve();
  }

  /** Handles the response: a server that ends the stream gracefully sends a result, a cancellation, or both. */
  #settled(outcome: RequestOutcome): void {
    if (this.#state === 'ended') return;
    try {
      readResponse(METHOD, outcome);
      this.#ended({ reason: endedByServer(), isBroken: false });
    } catch (error) {
      // readResponse throws only errors.
      this.#ended({ reason: error as Error, isBroken: outcome.kind === 'closed' });
    }
  }

  #ended(end: SubscriptionEnd): void {
    if (this.#state === 'ended') return;
    const wasOpen = this.#state === 'open';
    this.#end();
    this.#withdrawn.resolve({ kind: 'result', result: {} });
    this.#acknowledgment.reject(end.reason);
    // The connection reports its own end.
    if (wasOpen && !(end.isBroken && this.#connection.hasEnded)) this.#options.onEnded(end);
  }

  #cancel(reason: string): void {
    if (this.#state === 'ended') return;
    this.#end();
    if (this.#requestId !== undefined) this.#connection.cancel(this.#requestId, reason);
    this.#withdrawn.reject(
      new LocalError('request-cancelled', `${METHOD} was cancelled: ${reason}.`, { sent: true }),
    );
  }

  #end(): void {
    this.#state = 'ended';
    this.#timer.stop();
    this.#stopListening();
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function endedByServer(): LocalError {
  return new LocalError('invalid-response', `The server ended ${METHOD}.`, { sent: true });
}

/** Reads the accepted filter and drops invalid members. */
function readFilter(value: unknown): SubscriptionFilter {
  const filter = isJsonObject(value) ? value : {};
  const { resourceSubscriptions, taskIds } = filter;
  return {
    ...listFilter((kind) => includesList(filter, kind)),
    ...(Array.isArray(resourceSubscriptions)
      ? { resourceSubscriptions: resourceSubscriptions.filter((uri) => typeof uri === 'string') }
      : {}),
    ...(Array.isArray(taskIds) ? { taskIds: taskIds.filter((id) => typeof id === 'string') } : {}),
  };
}
