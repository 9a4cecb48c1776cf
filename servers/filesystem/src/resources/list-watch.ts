import { lstat } from 'node:fs/promises';
import type { SubscriptionFilter } from '@signalbox/mcp-core';
import type { ServerMiddleware } from '@signalbox/mcp-core/server';
import type { AllowedDirectory } from '@signalbox/file-sandbox';
import type { Watchers } from './watchers.ts';

/**
 * Watches the first level of the directories in a resource list, from the first request of a client
 * that reads the list or asks for its changes.
 */
export class ListWatch {
  readonly #watchers: Watchers;
  readonly #onChange: () => void;
  readonly #stops = new Map<string, Promise<() => void>>();
  #wanted: ReadonlySet<string> = new Set();
  #state: 'waiting' | 'watching' | 'closed' = 'waiting';

  constructor(watchers: Watchers, onChange: () => void) {
    this.#watchers = watchers;
    this.#onChange = onChange;
  }

  /** Starts the watches before a request that needs them is handled. */
  readonly middleware: ServerMiddleware = async ({ method, params }, next) => {
    // The method checks the shape of the filter afterwards.
    const filter = params['notifications'] as Partial<SubscriptionFilter> | null | undefined;
    const isListening = method === 'subscriptions/listen' && filter?.resourcesListChanged === true;
    if (method !== 'resources/list' && !isListening) return next();
    if (this.#state === 'waiting' && !this.#watchers.isOff) this.#state = 'watching';
    await this.#update();
    return next();
  };

  /**
   * Watches exactly these directories. Skips single files, whose changes do not change the list.
   */
  follow(directories: readonly AllowedDirectory[]): void {
    this.#wanted = new Set(directories.map(({ realPath }) => realPath));
    void this.#update();
  }

  close(): void {
    this.#state = 'closed';
    this.#wanted = new Set();
    void this.#update();
  }

  /** Resolves when all wanted directories are watched. */
  async #update(): Promise<void> {
    for (const [realPath, started] of this.#stops) {
      if (this.#wanted.has(realPath)) continue;
      this.#stops.delete(realPath);
      void started.then((stop) => stop());
    }
    if (this.#state !== 'watching') return;
    for (const realPath of this.#wanted)
      if (!this.#stops.has(realPath)) this.#stops.set(realPath, this.#start(realPath));
    await Promise.all(this.#stops.values());
  }

  async #start(realPath: string): Promise<() => void> {
    const stats = await lstat(realPath).catch(() => undefined);
    if (stats?.isDirectory() !== true) return () => undefined;
    return this.#watchers.watch({ realPath, within: realPath }, this.#onChange);
  }
}
