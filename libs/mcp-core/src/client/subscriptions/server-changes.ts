import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import type { SubscriptionFilter } from '../../protocol/resources.ts';
import type { ServerChange, ServerChanges, Watch } from '../client.ts';
import type { WatchListener } from './watches.ts';

/** Changes that may wait for the reader; with one more they become a single `missed`. */
const MAX_WAITING = 1000;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Every list that a server announces changes of. */
export function announcedLists({
  tools,
  prompts,
  resources,
}: ServerCapabilities): SubscriptionFilter {
  return {
    ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
    ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
  };
}

/** Reads the changes that a watch tells; the watch is opened by the first read. */
export function readChanges(openWatch: (listener: WatchListener) => Promise<Watch>): ServerChanges {
  return new WaitingChanges(openWatch);
}

class WaitingChanges implements ServerChanges {
  readonly #openWatch: (listener: WatchListener) => Promise<Watch>;
  /** By what has changed. */
  readonly #waiting = new Map<string, ServerChange>();
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
    if (this.#isEnded && this.#waiting.size === 0) return END;
    this.#watch ??= this.#open();
    await this.#watch;
    for (;;) {
      const [first] = this.#waiting;
      if (first !== undefined) {
        this.#waiting.delete(first[0]);
        return { done: false, value: first[1] };
      }
      if (this.#hasEnded()) return END;
      this.#woken ??= Promise.withResolvers();
      await this.#woken.promise;
    }
  }

  async return(): Promise<IteratorResult<ServerChange>> {
    this.#finish();
    this.#waiting.clear();
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
    if (this.#isEnded || this.#waiting.has('missed')) return;
    if (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(key)) {
      this.#miss();
      return;
    }
    this.#waiting.set(key, change);
    this.#wake();
  }

  /** It stands for everything. */
  #miss(): void {
    this.#waiting.clear();
    this.#waiting.set('missed', { kind: 'missed' });
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
