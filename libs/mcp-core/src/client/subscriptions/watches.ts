import { LocalError } from '../../protocol/errors.ts';
import type { SubscriptionFilter } from '../../protocol/resources.ts';
import {
  type ClientConnection,
  DEFAULT_REQUEST_TIMEOUT_MS,
} from '../connection/client-connection.ts';
import type { ReconnectingConnection } from '../connection/reconnecting-connection.ts';
import { httpFailureOf, isSingleRequestLost } from '../connection/http-failure.ts';
import { LegacySubscriptions } from './legacy-subscriptions.ts';
import { openListenStream } from './listen-stream.ts';
import {
  announcedPart,
  type Subscription,
  type SubscriptionEnd,
  type SubscriptionListener,
} from './subscription.ts';

/**
 * A subscription; changes are delivered until `close`, or until the server ends it, with or without a reason. A modern stream that breaks is reopened, and
 * `reconnect` restores every watch; both call `onMissed`, or every handler, because changes may have been missed.
 */
export interface Watch {
  /** The part of the filter that the server accepted. */
  readonly filter: SubscriptionFilter;
  /** Resolves when no more updates will be delivered: with `undefined` after `close`, else with the reason. Never rejects. */
  readonly ended: Promise<Error | undefined>;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface WatchListener extends SubscriptionListener {
  /** Called after the watch was restored: changes may have been missed. */
  missed(): void;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** About eight minutes with the delays above. */
const MAX_ATTEMPTS = 20;

/** A subscription without changes, for a server that announces none. */
const UNANNOUNCED: Subscription = { filter: {}, close: () => Promise.resolve() };

/** The watches of a client. They outlive a connection. */
export class Watches {
  readonly #current: ReconnectingConnection;
  readonly #timeoutMs: number;
  readonly #open = new Set<RestorableWatch>();
  readonly #legacy = new WeakMap<ClientConnection, LegacySubscriptions>();

  constructor(current: ReconnectingConnection, requestTimeoutMs = DEFAULT_REQUEST_TIMEOUT_MS) {
    this.#current = current;
    this.#timeoutMs = requestTimeoutMs;
  }

  /** Opens a watch. Resolves when the server has acknowledged it; rejects as a request does. */
  async open(filter: SubscriptionFilter, listener: WatchListener): Promise<Watch> {
    const watch = new RestorableWatch(
      listener,
      (onEnded) => this.#subscribe(filter, listener, onEnded),
      () => this.#open.delete(watch),
    );
    await watch.subscribe();
    if (!watch.isClosed) this.#open.add(watch);
    if (this.#current.isClosed) watch.end();
    return watch;
  }

  /** Subscribes every watch on the current connection; a watch that the server refuses ends. */
  async restore(): Promise<void> {
    await Promise.all([...this.#open].map((watch) => watch.restore()));
  }

  /** Ends every watch because the client was closed. */
  endAll(): void {
    for (const watch of this.#open) watch.end();
  }

  /** Repeats a subscription once when its request, or its session, was lost. */
  async #subscribe(
    filter: SubscriptionFilter,
    listener: SubscriptionListener,
    onEnded: (end: SubscriptionEnd) => void,
  ): Promise<Subscription> {
    const { connection } = this.#current;
    try {
      return await this.#subscribeOnce(filter, listener, onEnded);
    } catch (error) {
      const isInNewSession =
        httpFailureOf(error)?.isSessionLost === true && this.#current.connection !== connection;
      if (!isInNewSession && !isSingleRequestLost(connection, error)) throw error;
      return this.#subscribeOnce(filter, listener, onEnded);
    }
  }

  async #subscribeOnce(
    filter: SubscriptionFilter,
    listener: SubscriptionListener,
    onEnded: (end: SubscriptionEnd) => void,
  ): Promise<Subscription> {
    const { connection, server } = this.#current;
    if (server.era === 'modern') {
      const announced = announcedPart(filter, server.capabilities);
      if (Object.keys(announced).length === 0) return UNANNOUNCED;
      return openListenStream(connection, {
        filter: announced,
        listener,
        timeoutMs: this.#timeoutMs,
        onEnded,
      });
    }
    const subscriptions =
      this.#legacy.get(connection) ?? new LegacySubscriptions(connection, server.capabilities);
    this.#legacy.set(connection, subscriptions);
    return subscriptions.subscribe(filter, listener);
  }
}

type Subscribe = (onEnded: (end: SubscriptionEnd) => void) => Promise<Subscription>;

class RestorableWatch implements Watch {
  readonly ended: Promise<Error | undefined>;
  readonly #listener: WatchListener;
  readonly #subscribe: Subscribe;
  readonly #onEnd: () => void;
  readonly #closing = new AbortController();
  readonly #end = Promise.withResolvers<Error | undefined>();
  #subscription: Subscription | undefined;
  /** Counts the subscriptions of this watch; events of an earlier subscription are ignored. */
  #generation = 0;
  #reopening: AbortController | undefined;

  constructor(listener: WatchListener, subscribe: Subscribe, onEnd: () => void) {
    this.#listener = listener;
    this.#subscribe = subscribe;
    this.#onEnd = onEnd;
    this.ended = this.#end.promise;
  }

  get filter(): SubscriptionFilter {
    return this.#subscription?.filter ?? {};
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Subscribes again. Resolves with false when the watch was closed or subscribed once more meanwhile. */
  async subscribe(): Promise<boolean> {
    this.#generation += 1;
    const generation = this.#generation;
    const subscription = await this.#subscribe((end) => {
      if (generation === this.#generation) this.#lost(end);
    });
    if (this.isClosed || generation !== this.#generation) {
      await subscription.close();
      return false;
    }
    // The old subscription usually ended with its connection.
    void this.#subscription?.close();
    this.#subscription = subscription;
    return true;
  }

  /** Subscribes on a new connection and stops reopening a broken stream. Never rejects, so that the other watches are restored. */
  async restore(): Promise<void> {
    this.#reopening?.abort();
    try {
      if (await this.subscribe()) this.#listener.missed();
    } catch (error) {
      // After another loss the connection is restored again; a refusal ends the watch.
      if (isTimeout(error)) void this.#reopen(error);
      else if (!isLost(error)) this.end(error as Error);
    }
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.end();
    await this.#subscription?.close();
  }

  end(reason?: Error): void {
    this.#closing.abort();
    this.#onEnd();
    this.#end.resolve(reason);
  }

  #lost({ reason, isBroken }: SubscriptionEnd): void {
    if (isBroken) void this.#reopen(reason);
    else this.end(reason);
  }

  async #reopen(reason: Error): Promise<void> {
    const stop = new AbortController();
    this.#reopening = stop;
    const signal = AbortSignal.any([this.#closing.signal, stop.signal]);
    let last = reason;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS);
      try {
        await delay(delayMs * (1 + Math.random() / 4), signal);
        if (await this.subscribe()) this.#listener.missed();
        return;
      } catch (error) {
        if (stop.signal.aborted) return;
        // Subscribing throws only errors.
        last = error as Error;
        if (this.isClosed || !isLost(error)) break;
      }
    }
    this.end(last);
  }
}

/** Waits without keeping the process alive. Rejects when the signal aborts first. */
function delay(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, durationMs);
    timer.unref();
    signal.addEventListener('abort', onAbort);
  });
}

function isLost(error: unknown): boolean {
  return (
    error instanceof LocalError &&
    (error.code === 'connection-lost' || error.code === 'connection-closed' || isTimeout(error))
  );
}

function isTimeout(error: unknown): error is LocalError {
  return error instanceof LocalError && error.code === 'request-timeout';
}
