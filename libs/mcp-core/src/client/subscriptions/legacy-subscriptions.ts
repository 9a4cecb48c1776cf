import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { changedList, includesList } from '../../protocol/list-changes.ts';
import type { SubscriptionFilter } from '../../protocol/resources.ts';
import type { ClientConnection } from '../connection/client-connection.ts';
import {
  announcedPart,
  covers,
  type Subscription,
  type SubscriptionListener,
} from './subscription.ts';

interface Watcher {
  /** The URIs that the server has not refused. */
  readonly uris: Set<string>;
  readonly filter: SubscriptionFilter;
  readonly listener: SubscriptionListener;
}

interface SharedUri {
  users: number;
  /** Rejects when the server refuses the subscription. */
  readonly acknowledged: Promise<unknown>;
}

/**
 * The subscriptions of one legacy connection. Watches of the same URI share one subscription.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
 */
export class LegacySubscriptions {
  readonly #connection: ClientConnection;
  readonly #capabilities: ServerCapabilities;
  readonly #watchers = new Set<Watcher>();
  readonly #subscriptions = new Map<string, SharedUri>();
  readonly #unsubscribing = new Map<string, Promise<unknown>>();

  constructor(connection: ClientConnection, capabilities: ServerCapabilities) {
    this.#connection = connection;
    this.#capabilities = capabilities;
    connection.listen(({ method, params }) => {
      if (method === 'notifications/resources/updated' && typeof params?.uri === 'string') {
        this.#updated(params.uri);
        return;
      }
      const list = changedList(method);
      if (list !== undefined) {
        this.#notify(method, ({ filter, listener }) => {
          if (includesList(filter, list)) listener.listChanged(list);
        });
      }
    });
  }

  /**
   * Subscribes to every URI of the filter, and leaves out the URIs that the server refuses.
   * @throws LocalError when the server does not respond; the other URIs are then unsubscribed.
   */
  async subscribe(
    filter: SubscriptionFilter,
    listener: SubscriptionListener,
  ): Promise<Subscription> {
    const { resources } = this.#capabilities;
    const { resourceSubscriptions = [], ...lists } = announcedPart(filter, this.#capabilities);
    const uris = resources?.subscribe === true ? [...new Set(resourceSubscriptions)] : [];
    const watcher: Watcher = { uris: new Set(uris), filter: lists, listener };
    this.#watchers.add(watcher);
    const close = async (): Promise<void> => {
      if (this.#watchers.delete(watcher)) {
        await Promise.all([...watcher.uris].map((uri) => this.#release(uri)));
      }
    };
    const outcomes = await Promise.allSettled(uris.map((uri) => this.#acquire(uri, watcher)));
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure !== undefined) {
      await close();
      throw failure.reason;
    }
    return {
      filter: {
        ...watcher.filter,
        ...(watcher.uris.size > 0 ? { resourceSubscriptions: [...watcher.uris] } : {}),
      },
      close,
    };
  }

  async #acquire(uri: string, watcher: Watcher): Promise<void> {
    const subscription = this.#subscriptions.get(uri) ?? {
      users: 0,
      acknowledged: this.#subscribe(uri),
    };
    this.#subscriptions.set(uri, subscription);
    subscription.users += 1;
    try {
      await subscription.acknowledged;
    } catch (error) {
      watcher.uris.delete(uri);
      if (this.#subscriptions.get(uri) === subscription) {
        this.#subscriptions.delete(uri);
      }
      if (!(error instanceof ProtocolError)) {
        throw error;
      }
    }
  }

  /** Waits for a pending unsubscribe of the same URI, which would end the new subscription. */
  async #subscribe(uri: string): Promise<void> {
    await this.#unsubscribing.get(uri);
    await this.#connection.request('resources/subscribe', { uri });
  }

  async #release(uri: string): Promise<void> {
    const subscription = this.#subscriptions.get(uri);
    if (subscription === undefined) {
      return;
    }
    subscription.users -= 1;
    if (subscription.users === 0) {
      this.#subscriptions.delete(uri);
      // After a refusal or the end of the connection there is nothing to unsubscribe.
      const unsubscribed = this.#connection
        .request('resources/unsubscribe', { uri })
        .catch(() => undefined);
      this.#unsubscribing.set(uri, unsubscribed);
      await unsubscribed;
      if (this.#unsubscribing.get(uri) === unsubscribed) {
        this.#unsubscribing.delete(uri);
      }
    }
  }

  /** Notifies the watchers of the resource that contains the URI, or all watchers when none does. */
  #updated(uri: string): void {
    const watchers = [...this.#watchers].filter((watcher) => watcher.uris.size > 0);
    const exact = new Set(
      watchers.filter((watcher) => [...watcher.uris].some((watched) => covers(watched, uri))),
    );
    this.#notify('notifications/resources/updated', (watcher) => {
      if (exact.size > 0 ? exact.has(watcher) : watcher.uris.size > 0)
        watcher.listener.updated(uri);
    });
  }

  #notify(occasion: string, notify: (watcher: Watcher) => void): void {
    for (const watcher of this.#watchers) {
      this.#connection.callBack(occasion, () => notify(watcher));
    }
  }
}
