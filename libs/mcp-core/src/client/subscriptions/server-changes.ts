import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { type ListKind, listFilter } from '../../protocol/list-changes.ts';
import type { SubscriptionFilter } from '../../protocol/resources.ts';
import type { Watch, WatchListener } from './watches.ts';

/** A change on the server. `missed`: changes were lost, because too many were pending or the connection was restored; anything may have changed. */
export type ServerChange =
  | { readonly kind: ListKind | 'missed' }
  | { readonly kind: 'resource'; readonly uri: string };

/**
 * The changes that match a filter, for one reader. The first read subscribes; `return`, which leaving a `for await` loop calls, unsubscribes. A pending change is
 * held once, however often it occurred. The iteration ends when the client closes or the server ends the subscription.
 */
export interface ServerChanges extends AsyncIterableIterator<ServerChange> {
  return(): Promise<IteratorResult<ServerChange>>;
}

/** Maximum number of pending changes; beyond it they are replaced by a single `missed`. */
const MAX_PENDING = 1000;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Returns the filter for every list whose changes the server announces. */
export function announcedLists(capabilities: ServerCapabilities): SubscriptionFilter {
  return listFilter((kind) => capabilities[kind]?.listChanged === true);
}

/** Returns the changes of a watch that the first read opens. */
export function readChanges(openWatch: (listener: WatchListener) => Promise<Watch>): ServerChanges {
  return new PendingChanges(openWatch);
}

class PendingChanges implements ServerChanges {
  readonly #openWatch: (listener: WatchListener) => Promise<Watch>;
  readonly #pending = new Map<string, ServerChange>();
  #watch: Promise<Watch> | undefined;
  #woken: PromiseWithResolvers<void> | undefined;
  #isEnded = false;

  constructor(openWatch: (listener: WatchListener) => Promise<Watch>) {
    this.#openWatch = openWatch;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<ServerChange>> {
    if (this.#isEnded && this.#pending.size === 0) return END;
    this.#watch ??= this.#open();
    await this.#watch;
    for (;;) {
      const [first] = this.#pending;
      if (first !== undefined) {
        this.#pending.delete(first[0]);
        return { done: false, value: first[1] };
      }
      if (this.#hasEnded()) return END;
      this.#woken ??= Promise.withResolvers();
      await this.#woken.promise;
    }
  }

  async return(): Promise<IteratorResult<ServerChange>> {
    this.#finish();
    this.#pending.clear();
    const watch = await this.#watch?.catch(() => undefined);
    await watch?.close();
    return END;
  }

  async #open(): Promise<Watch> {
    const watch = await this.#openWatch({
      updated: (uri) => this.#add(`resource ${uri}`, { kind: 'resource', uri }),
      listChanged: (kind) => this.#add(kind, { kind }),
      missed: () => this.#miss(),
    });
    void watch.ended.then(() => this.#finish());
    return watch;
  }

  #add(key: string, change: ServerChange): void {
    if (this.#isEnded || this.#pending.has('missed')) return;
    if (this.#pending.size >= MAX_PENDING && !this.#pending.has(key)) {
      this.#miss();
      return;
    }
    this.#pending.set(key, change);
    this.#wake();
  }

  #miss(): void {
    this.#pending.clear();
    this.#pending.set('missed', { kind: 'missed' });
    this.#wake();
  }

  #finish(): void {
    this.#isEnded = true;
    this.#wake();
  }

  #wake(): void {
    this.#woken?.resolve();
    this.#woken = undefined;
  }

  #hasEnded(): boolean {
    return this.#isEnded;
  }
}
