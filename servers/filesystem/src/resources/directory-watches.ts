import path from 'node:path';
import type { ChokidarOptions, FSWatcher } from 'chokidar';
import { errorCode, type Opener, type PinnedPath } from '@signalbox/file-sandbox';
import { pinInPlace } from './pin-in-place.ts';

/**
 * Receives a hint that a watched directory may have changed. `entries`: an entry appeared,
 * disappeared or was replaced; `content`: an entry was written; `any`: the system reported one of
 * the two. `name` is the entry; `undefined` stands for the directory itself, or for an unknown entry.
 */
export type DirectoryListener = (
  hint: 'entries' | 'content' | 'any',
  name: string | undefined,
) => void;

/** State of a watch: `missing` also when no directory is at the path, `unavailable` when the system cannot watch it. */
export type WatchState = 'watching' | 'missing' | 'unavailable';

/** The function `watch` of chokidar. */
export type OpenWatcher = (directory: string, options: ChokidarOptions) => FSWatcher;

export interface DirectoryWatchesOptions {
  readonly opener: Opener;
  /** Receives warnings for the operator. */
  readonly warn: (message: string) => void;
  /** Default: imports chokidar. Called by the first watch. */
  readonly load?: () => Promise<OpenWatcher>;
  /**
   * Milliseconds to wait until the entries of a directory are known; default 2000. chokidar waits
   * for a directory that changes all the time until it is quiet, but reports its changes before.
   */
  readonly readyMs?: number;
}

/** Watches verified directories, without their subdirectories, with one watch for all listeners of a directory. */
export class DirectoryWatches {
  readonly #options: WatchOptions;
  readonly #watches = new Map<string, DirectoryWatch>();

  constructor(options: DirectoryWatchesOptions) {
    const { opener, warn, load = loadChokidar, readyMs = 2000 } = options;
    let hasWarned = false;
    const onUnavailable = (error: unknown) => {
      if (!hasWarned)
        warn(
          `the system cannot watch more directories (${errorCode(error) ?? String(error)}); paths are polled instead`,
        );
      hasWarned = true;
    };
    this.#options = { opener, onUnavailable, load, readyMs };
  }

  /** Adds a listener unless it is there, and watches the directory that is at the path at this moment. */
  attach(directory: string, listener: DirectoryListener): Promise<WatchState> {
    const found = this.#watches.get(directory) ?? new DirectoryWatch(directory, this.#options);
    this.#watches.set(directory, found);
    found.listeners.add(listener);
    return found.refresh();
  }

  /** Removes a listener; the last one ends the watch. */
  detach(directory: string, listener: DirectoryListener): void {
    const found = this.#watches.get(directory);
    if (found?.listeners.delete(listener) !== true || found.listeners.size > 0) return;
    this.#watches.delete(directory);
    void found.refresh();
  }

  /** Names of the known subdirectories of a watched directory. */
  subdirectories(directory: string): readonly string[] {
    return this.#watches.get(directory)?.subdirectories() ?? [];
  }
}

interface WatchOptions {
  readonly opener: Opener;
  readonly onUnavailable: (error: unknown) => void;
  readonly load: () => Promise<OpenWatcher>;
  readonly readyMs: number;
}

class DirectoryWatch {
  readonly listeners = new Set<DirectoryListener>();
  readonly #path: string;
  readonly #options: WatchOptions;
  /** The watcher and the directory, which is held for as long, so that neither its address nor its inode number is reused. */
  #open: { readonly watcher: FSWatcher; readonly directory: PinnedPath } | undefined;
  #hasFailed = false;
  #isFirst = true;
  #refreshed: Promise<WatchState> = Promise.resolve('missing');

  constructor(directory: string, options: WatchOptions) {
    this.#path = directory;
    this.#options = options;
  }

  /** Refreshes in sequence, so that each refresh sees the path as it is after its call. Without listeners ends the watch. */
  refresh(): Promise<WatchState> {
    this.#refreshed = this.#refreshed.then(() => this.#refresh());
    return this.#refreshed;
  }

  subdirectories(): readonly string[] {
    if (this.#open === undefined) return [];
    const own = path.resolve(this.#open.directory.address);
    return Object.keys(this.#open.watcher.getWatched())
      .filter((watched) => path.dirname(watched) === own && watched !== own)
      .map((watched) => path.basename(watched));
  }

  async #refresh(): Promise<WatchState> {
    let found: PinnedPath | undefined;
    try {
      found = await pinInPlace(this.#options.opener, this.#path);
      const isSame = this.#open !== undefined && found?.identity === this.#open.directory.identity;
      const isWanted = found?.stats.isDirectory() === true && this.listeners.size > 0;
      if (!isWanted || !isSame || this.#hasFailed) await this.#close();
      if (found === undefined || !isWanted || this.#open !== undefined) {
        await found?.close();
        return isWanted ? 'watching' : 'missing';
      }
      await this.#start(found);
      if (!this.#isFirst) this.#tell('entries', undefined);
      return 'watching';
    } catch (error) {
      this.#options.onUnavailable(error);
      await this.#close();
      await found?.close();
      return 'unavailable';
    } finally {
      this.#isFirst = false;
    }
  }

  /** @throws the error of the system when it cannot watch the directory */
  async #start(directory: PinnedPath): Promise<void> {
    const ready = Promise.withResolvers<undefined>();
    const open = await this.#options.load();
    const watcher = open(watchableAddress(directory), {
      depth: 0,
      followSymlinks: false,
      ignoreInitial: true,
      // Or else some names of editors are ignored, and events are late.
      atomic: false,
      persistent: false,
    });
    this.#open = { watcher, directory };
    watcher.on('ready', () => ready.resolve(undefined));
    watcher.on('error', (error) => {
      ready.reject(error);
      this.#hasFailed = true;
      this.#tell('entries', undefined);
    });
    watcher.on('all', (event, entry) => {
      const name = path.relative(directory.address, entry);
      this.#tell(event === 'change' ? 'content' : 'entries', name === '' ? undefined : name);
    });
    // The only event of a held directory that was moved or deleted: one without a name. And chokidar
    // reports nothing when a directory was replaced before it read the directory above.
    watcher.on('raw', (_event, name) => {
      if (name === '' || name === null) this.#tell('entries', undefined);
      else this.#tell('any', name);
    });
    const tooLate = setTimeout(() => ready.resolve(undefined), this.#options.readyMs);
    await ready.promise.finally(() => clearTimeout(tooLate));
    if (directory.isHeld) return;
    await using again = await pinInPlace(this.#options.opener, this.#path);
    if (again?.identity !== directory.identity)
      throw new Error(`${this.#path}: replaced while its watch was opened`);
  }

  #tell(...hint: Parameters<DirectoryListener>): void {
    for (const listener of this.listeners) listener(...hint);
  }

  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    this.#hasFailed = false;
    await open?.watcher.close().catch(() => undefined);
    await open?.directory.close();
  }
}

/**
 * Path that chokidar watches without following links. Of a held directory it is the handle itself
 * in `/proc`, so that no name can be replaced in between. The separator at the end makes it a
 * directory, not the link that the kernel shows.
 */
function watchableAddress({ address, isHeld }: PinnedPath): string {
  return isHeld ? `${address}${path.sep}` : address;
}

async function loadChokidar(): Promise<OpenWatcher> {
  const { watch } = await import('chokidar');
  return watch;
}
