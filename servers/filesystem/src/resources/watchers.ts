import { PathError, type Opener } from '@signalbox/file-sandbox';
import type { DirectoryWatches } from './directory-watches.ts';
import { PathWatch, type WatchTarget } from './path-watch.ts';

export type { WatchTarget } from './path-watch.ts';

export type WatchMode = 'native' | 'polling' | 'off';

export interface WatchersOptions {
  /** Opener that holds directories while they are verified. */
  readonly opener: Opener;
  /** Watches of the system; absent: paths are polled. */
  readonly directories?: DirectoryWatches | undefined;
  /** Whether nothing is watched; default false. */
  readonly isOff?: boolean;
  /** Maximum number of paths watched at once; default 256. */
  readonly maxPaths?: number;
  /** Receives one warning for the operator when the maximum is reached first. */
  readonly warn?: (message: string) => void;
  /** Milliseconds within which changes are one notification; default 100. */
  readonly coalesceMs?: number;
  /** Milliseconds between polls of paths that the system does not watch; default 1000. */
  readonly pollIntervalMs?: number;
}

/**
 * Watches files, directories and trees, with one watch per path for all its listeners. A path may be
 * missing, and may be replaced, deleted, moved and created again. Polls the paths when the system
 * has no watches left.
 */
export class Watchers {
  readonly #options: Required<WatchersOptions>;
  readonly #watched = new Map<string, WatchedPath>();
  #hasWarned = false;

  constructor(options: WatchersOptions) {
    this.#options = {
      directories: undefined,
      isOff: false,
      maxPaths: 256,
      warn: () => undefined,
      coalesceMs: 100,
      pollIntervalMs: 1000,
      ...options,
    };
  }

  get isOff(): boolean {
    return this.#options.isOff;
  }

  /** Number of paths being watched. */
  get size(): number {
    return this.#watched.size;
  }

  /**
   * Calls `onChange` for each change, at most once in `coalesceMs`. Resolves when further changes
   * are detected. The result stops the calls.
   * @throws PathError when a limit is reached or nothing is watched
   */
  async watch(target: WatchTarget, onChange: () => void): Promise<() => void> {
    const key = keyOf(target);
    const watched = this.#watched.get(key) ?? this.#start(key, target);
    const listener = { onChange };
    watched.listeners.add(listener);
    const stop = () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size > 0 || this.#watched.get(key) !== watched) return;
      this.#watched.delete(key);
      watched.watch.close();
    };
    await watched.started.catch((error: unknown) => {
      stop();
      throw error;
    });
    return stop;
  }

  close(): void {
    for (const { watch } of this.#watched.values()) watch.close();
    this.#watched.clear();
  }

  #start(key: string, target: WatchTarget): WatchedPath {
    const { isOff, maxPaths, warn, ...options } = this.#options;
    if (isOff)
      throw new PathError('refused', 'Subscriptions are disabled on this server (--watch off).');
    if (this.#watched.size >= maxPaths) {
      // A modern client gets no error, only the accepted part of its filter.
      if (!this.#hasWarned)
        warn(
          `A subscription was refused: the server watches at most ${maxPaths} paths at once (--max-subscriptions).`,
        );
      this.#hasWarned = true;
      throw new PathError(
        'refused',
        `The server watches at most ${maxPaths} paths at once (--max-subscriptions). Unsubscribe from one first.`,
      );
    }
    const listeners: WatchedPath['listeners'] = new Set();
    const onChange = () => {
      for (const listener of listeners) listener.onChange();
    };
    const watch = new PathWatch(target, { ...options, onChange });
    const watched = { watch, listeners, started: watch.start() };
    this.#watched.set(key, watched);
    return watched;
  }
}

/** A path is shared by targets that are watched in the same way. */
function keyOf({ realPath, isTree = false, scope = '' }: WatchTarget): string {
  return [realPath, isTree, scope].join('\n');
}

interface WatchedPath {
  readonly watch: PathWatch;
  readonly started: Promise<void>;
  readonly listeners: Set<{ readonly onChange: () => void }>;
}
