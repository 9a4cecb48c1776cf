import { watch } from 'node:fs';
import { basename } from 'node:path';
import { errorCode } from '../sandbox/path-error.ts';
import type { Opener } from '../sandbox/pinned-path.ts';
import { pinInPlace } from './pin-in-place.ts';

/** `name` is the entry an event is about, or the directory's own name; absent where the system does not tell. */
export type DirectoryListener = (event: 'rename' | 'change', name: string | undefined) => void;

/** A directory that was verified, and how to reach it. */
export interface WatchedDirectory {
  readonly realPath: string;
  /** As of `PinnedPath`. */
  readonly address: string;
}

/** `node:fs` watch of one directory, not recursive; throws the system's error. */
export type OpenDirectoryWatch = (
  directory: WatchedDirectory,
  listener: DirectoryListener,
  onError: () => void,
) => { close(): void };

/** What became of a directory: `missing` also when something else is at its path, `unavailable` when the system cannot watch it now. */
export type WatchState = 'watching' | 'missing' | 'unavailable';

export interface DirectoryWatchesOptions {
  /** Called with the code of the system's error when it cannot watch. */
  readonly onUnavailable: (code: string) => void;
  readonly opener: Opener;
  /** Default: `node:fs` watch. */
  readonly open?: OpenDirectoryWatch;
}

/** One watch of the operating system for each directory, however many listen to it. */
export class DirectoryWatches {
  readonly #options: Required<DirectoryWatchesOptions>;
  readonly #watches = new Map<string, DirectoryWatch>();

  constructor(options: DirectoryWatchesOptions) {
    this.#options = { open: openDirectoryWatch, ...options };
  }

  /** Hears of a directory whenever it is being watched; `refresh` starts that. */
  listen(directory: string, listener: DirectoryListener): void {
    const found = this.#watches.get(directory) ?? new DirectoryWatch(directory, this.#options);
    this.#watches.set(directory, found);
    found.listeners.add(listener);
  }

  /** The system's watch ends with its last listener. */
  unlisten(directory: string, listener: DirectoryListener): void {
    const found = this.#watches.get(directory);
    if (found === undefined) return;
    found.listeners.delete(listener);
    if (found.listeners.size > 0) return;
    this.#watches.delete(directory);
    found.close();
  }

  /** Watches what is at the path of a directory that has listeners by now: a replaced one is watched again, one that is gone no more. */
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

  /** One after the other, so that each looks at the path after it was asked to. */
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

/** The system watches the directory that is held, not whatever is at its path in that moment. */
function openDirectoryWatch(
  { address }: WatchedDirectory,
  listener: DirectoryListener,
  onError: () => void,
): { close(): void } {
  // What is said of the directory itself has the last name of the address.
  const ownName = basename(address);
  const watcher = watch(address, { persistent: false }, (event, name) =>
    listener(event, name === null || name === ownName ? undefined : name),
  );
  watcher.on('error', onError);
  return watcher;
}
