import { watch } from 'node:fs';
import { basename } from 'node:path';
import { errorCode, type Opener } from '@signalbox/file-sandbox';
import { pinInPlace } from './pin-in-place.ts';

/**
 * Receives an event of a watched directory. `name` is the entry; `undefined` stands for the
 * directory itself, or for an unknown entry.
 */
export type DirectoryListener = (event: 'rename' | 'change', name: string | undefined) => void;

/** A verified directory and its address. */
export interface WatchedDirectory {
  readonly realPath: string;
  /** Address as in `PinnedPath`. */
  readonly address: string;
}

/** Watches one directory without its subdirectories; throws the system error. */
export type OpenDirectoryWatch = (
  directory: WatchedDirectory,
  listener: DirectoryListener,
  onError: () => void,
) => { close(): void };

/**
 * State of a watch: `missing` also when something else is at the path, `unavailable` when the
 * system cannot watch the directory.
 */
export type WatchState = 'watching' | 'missing' | 'unavailable';

export interface DirectoryWatchesOptions {
  /** Called with the code of the system error when a watch fails. */
  readonly onUnavailable: (code: string) => void;
  readonly opener: Opener;
  /** Default: `node:fs` watch. */
  readonly open?: OpenDirectoryWatch;
}

/** Shares one watch of the operating system among all listeners of a directory. */
export class DirectoryWatches {
  readonly #options: Required<DirectoryWatchesOptions>;
  readonly #watches = new Map<string, DirectoryWatch>();

  constructor(options: DirectoryWatchesOptions) {
    this.#options = { open: openDirectoryWatch, ...options };
  }

  /** Adds a listener to a directory. `refresh` starts the watch. */
  listen(directory: string, listener: DirectoryListener): void {
    const found = this.#watches.get(directory) ?? new DirectoryWatch(directory, this.#options);
    this.#watches.set(directory, found);
    found.listeners.add(listener);
  }

  /** Removes a listener; the last one closes the watch. */
  unlisten(directory: string, listener: DirectoryListener): void {
    const found = this.#watches.get(directory);
    if (found === undefined) return;
    found.listeners.delete(listener);
    if (found.listeners.size > 0) return;
    this.#watches.delete(directory);
    found.close();
  }

  /**
   * Updates the watch of a directory with listeners to the directory that is now at its path, if
   * any.
   */
  async refresh(directory: string): Promise<WatchState> {
    return (await this.#watches.get(directory)?.refresh()) ?? 'missing';
  }
}

class DirectoryWatch {
  readonly listeners = new Set<DirectoryListener>();
  readonly #path: string;
  readonly #options: Required<DirectoryWatchesOptions>;
  #watch: { close(): void } | undefined;
  #identity: string | undefined;
  /**
   * Whether the watched directory itself was deleted or moved. A new directory may have the inode number of a deleted one, so equal
   * identities do not prove that the watch is alive.
   */
  #isStale = false;
  #refreshed: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(path: string, options: Required<DirectoryWatchesOptions>) {
    this.#path = path;
    this.#options = options;
  }

  /** Refreshes in sequence, so that each refresh sees the path as it is after its call. */
  refresh(): Promise<WatchState> {
    const refreshed = this.#refreshed.then(() => this.#refresh());
    this.#refreshed = refreshed;
    return refreshed;
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  async #refresh(): Promise<WatchState> {
    const pinned = await pinInPlace(this.#options.opener, this.#path);
    if (pinned === undefined) {
      this.#drop();
      return 'missing';
    }
    await using found = pinned;
    const identity = found.stats.isDirectory() ? found.identity : undefined;
    if (identity !== this.#identity || this.#isStale) this.#drop();
    if (identity === undefined || this.#isClosed) return 'missing';
    if (this.#watch !== undefined) return 'watching';
    if (!this.#open(identity, found)) return 'unavailable';
    if (found.isHeld || (await this.#isInPlace(identity))) return 'watching';
    this.#drop();
    return 'unavailable';
  }

  async #isInPlace(identity: string): Promise<boolean> {
    await using again = await pinInPlace(this.#options.opener, this.#path);
    return again?.identity === identity;
  }

  #open(identity: string, directory: WatchedDirectory): boolean {
    try {
      const tell: DirectoryListener = (event, name) => {
        if (event === 'rename' && name === undefined) this.#isStale = true;
        for (const listener of this.listeners) listener(event, name);
      };
      this.#watch = this.#options.open(directory, tell, () => {
        this.#drop();
        tell('rename', undefined);
      });
      this.#identity = identity;
      return true;
    } catch (error) {
      this.#options.onUnavailable(errorCode(error) ?? String(error));
      return false;
    }
  }

  #drop(): void {
    this.#watch?.close();
    this.#watch = undefined;
    this.#identity = undefined;
    this.#isStale = false;
  }
}

/** Watches the held directory, not the directory that is at its path at that moment. */
function openDirectoryWatch(
  { address }: WatchedDirectory,
  listener: DirectoryListener,
  onError: () => void,
): { close(): void } {
  // Events of the directory itself have the last name of the address.
  const ownName = basename(address);
  const watcher = watch(address, { persistent: false }, (event, name) =>
    listener(event, name === null || name === ownName ? undefined : name),
  );
  watcher.on('error', onError);
  return watcher;
}
