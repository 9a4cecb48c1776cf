import { lstat } from 'node:fs/promises';
import type { AllowedDirectory } from '@signalbox/file-sandbox';
import type { Watchers } from './watchers.ts';

/** Watches the first level of the directories in a resource list. */
export class ListWatch {
  readonly #watchers: Watchers;
  readonly #onChange: () => void;
  readonly #stops = new Map<string, Promise<() => void>>();
  #isClosed = false;

  constructor(watchers: Watchers, onChange: () => void) {
    this.#watchers = watchers;
    this.#onChange = onChange;
  }

  /**
   * Watches exactly these directories. Skips single files, whose changes do not change the list.
   */
  follow(directories: readonly AllowedDirectory[]): void {
    if (this.#watchers.mode === 'off' || this.#isClosed) return;
    const wanted = new Set(directories.map(({ realPath }) => realPath));
    for (const realPath of this.#stops.keys()) if (!wanted.has(realPath)) this.#stop(realPath);
    for (const realPath of wanted)
      if (!this.#stops.has(realPath)) this.#stops.set(realPath, this.#start(realPath));
  }

  close(): void {
    this.#isClosed = true;
    for (const realPath of this.#stops.keys()) this.#stop(realPath);
  }

  async #start(realPath: string): Promise<() => void> {
    const stats = await lstat(realPath).catch(() => undefined);
    if (stats?.isDirectory() !== true) return () => undefined;
    return this.#watchers.watch({ realPath, within: realPath }, this.#onChange);
  }

  #stop(realPath: string): void {
    const started = this.#stops.get(realPath);
    this.#stops.delete(realPath);
    void started?.then((stop) => stop());
  }
}
