import path from 'node:path';
import { watch, type FSWatcher } from 'chokidar';
import { isInside } from '../sandbox/is-inside.ts';
import { PathError } from '../sandbox/path-error.ts';

export interface WatchersOptions {
  /** Paths watched at once; default 256. */
  readonly maxPaths?: number;
  /** Quiet time one notification stands for; default 100 ms. */
  readonly coalesceMs?: number;
  /** Called for a watcher that failed after it had started; the others go on. */
  readonly onError: (error: unknown) => void;
}

/**
 * Watches files and directories by real path, with one watcher per path however many listeners it has. A path may be missing, and may be
 * replaced, deleted and created again. A directory changes when entries appear or disappear, a file when its content may have changed.
 */
export class Watchers {
  readonly #options: Required<WatchersOptions>;
  readonly #watched = new Map<string, WatchedPath>();

  constructor(options: WatchersOptions) {
    this.#options = { maxPaths: 256, coalesceMs: 100, ...options };
  }

  /**
   * Starts calling `onChange`, at most once in `coalesceMs`; resolves when changes from now on are seen. The result stops it.
   * @throws PathError when the limit is reached or the system cannot watch
   */
  async watch(realPath: string, onChange: () => void): Promise<() => Promise<void>> {
    const watched = this.#watched.get(realPath) ?? this.#start(realPath);
    const listener = { onChange };
    watched.listeners.add(listener);
    const stop = async () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size > 0) return;
      if (this.#watched.get(realPath) === watched) this.#watched.delete(realPath);
      clearTimeout(watched.timer);
      await watched.watcher.close();
    };
    try {
      await watched.ready;
      return stop;
    } catch (error) {
      await stop();
      throw new PathError('io', `The path cannot be watched: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }

  /** Number of paths being watched. */
  get size(): number {
    return this.#watched.size;
  }

  async close(): Promise<void> {
    const all = [...this.#watched.values()];
    this.#watched.clear();
    for (const watched of all) clearTimeout(watched.timer);
    await Promise.all(all.map((watched) => watched.watcher.close()));
  }

  #start(realPath: string): WatchedPath {
    const { maxPaths, coalesceMs, onError } = this.#options;
    if (this.#watched.size >= maxPaths) throw new PathError('refused', `The server watches at most ${maxPaths} paths at once. Unsubscribe from one first.`);
    const watcher = watch(realPath, { followSymlinks: false, ignoreInitial: true, ignored: (candidate) => !concerns(candidate, realPath) });
    const ready = Promise.withResolvers<void>();
    const watched: WatchedPath = { watcher, ready: ready.promise, listeners: new Set(), timer: undefined };
    watcher.on('ready', () => {
      ready.resolve();
    });
    watcher.on('error', (error) => {
      ready.reject(error);
      onError(error);
    });
    watcher.on('all', (event, changed) => {
      const isChange = changed === realPath || (event !== 'change' && path.dirname(changed) === realPath);
      if (!isChange || watched.timer !== undefined) return;
      watched.timer = setTimeout(() => {
        watched.timer = undefined;
        for (const listener of watched.listeners) listener.onChange();
      }, coalesceMs);
    });
    this.#watched.set(realPath, watched);
    return watched;
  }
}

interface WatchedPath {
  readonly watcher: FSWatcher;
  readonly ready: Promise<void>;
  readonly listeners: Set<{ readonly onChange: () => void }>;
  timer: NodeJS.Timeout | undefined;
}

/** The watched path, what leads to it (it may be missing yet) and its direct entries. */
function concerns(candidate: string, realPath: string): boolean {
  return candidate === realPath || path.dirname(candidate) === realPath || isInside(realPath, candidate);
}
