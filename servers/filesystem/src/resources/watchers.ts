import { type Opener, PathError } from '@signalbox/file-sandbox';
import { DirectoryWatches, type OpenDirectoryWatch } from './directory-watches.ts';
import { PathWatch } from './path-watch.ts';
import type { WatchMode } from './watch-mode.ts';

export interface WatchersOptions {
  /**
   * `native` (default): the operating system reports changes. `polling`: paths are polled. `off`:
   * nothing is watched.
   */
  readonly mode?: WatchMode;
  /** Maximum number of paths watched at once; default 256. */
  readonly maxPaths?: number;
  /** Milliseconds within which changes are one notification; default 100. */
  readonly coalesceMs?: number;
  /** Milliseconds between polls of paths that the system does not watch; default 1000. */
  readonly pollIntervalMs?: number;
  /** Opener that holds directories while they are verified. */
  readonly opener: Opener;
  /** Receives warnings for the operator. */
  readonly warn: (message: string) => void;
  /** Default: `node:fs` watch. */
  readonly open?: OpenDirectoryWatch;
}

/** A file or directory to watch, by real paths. */
export interface WatchTarget {
  /** Path of the file or directory, which may be missing. */
  readonly realPath: string;
  /**
   * Uppermost watched directory on the way to the path; may be the path itself when that is a
   * directory.
   */
  readonly within: string;
}

/**
 * Watches files and directories, with one watch per path for all its listeners. A path may be
 * missing, and may be replaced, deleted, moved and created again. Polls the paths when the system
 * has no watches left.
 */
export class Watchers {
  readonly #options: Required<Omit<WatchersOptions, 'open' | 'warn'>>;
  readonly #directories: DirectoryWatches | undefined;
  readonly #watched = new Map<string, WatchedPath>();
  #hasWarned = false;

  constructor(options: WatchersOptions) {
    const { open, warn, ...rest } = options;
    this.#options = {
      mode: 'native',
      maxPaths: 256,
      coalesceMs: 100,
      pollIntervalMs: 1000,
      ...rest,
    };
    const onUnavailable = (code: string) => {
      if (!this.#hasWarned)
        warn(
          `the system cannot watch more directories (${code}); paths are looked at every ${this.#options.pollIntervalMs} ms instead`,
        );
      this.#hasWarned = true;
    };
    if (this.#options.mode === 'native')
      this.#directories = new DirectoryWatches({
        onUnavailable,
        opener: options.opener,
        ...(open === undefined ? {} : { open }),
      });
  }

  get mode(): WatchMode {
    return this.#options.mode;
  }

  /** Number of paths being watched. */
  get size(): number {
    return this.#watched.size;
  }

  /**
   * Calls `onChange` for each change, at most once in `coalesceMs`. Resolves when further changes
   * are detected. The result stops the calls.
   * @throws PathError when the limit is reached or nothing is watched
   */
  async watch(target: WatchTarget, onChange: () => void): Promise<() => void> {
    const watched = this.#watched.get(target.realPath) ?? this.#start(target);
    const listener = { onChange };
    watched.listeners.add(listener);
    await watched.started;
    return () => {
      watched.listeners.delete(listener);
      if (watched.listeners.size > 0 || this.#watched.get(target.realPath) !== watched) return;
      this.#watched.delete(target.realPath);
      watched.watch.close();
    };
  }

  close(): void {
    for (const { watch } of this.#watched.values()) watch.close();
    this.#watched.clear();
  }

  #start({ realPath, within }: WatchTarget): WatchedPath {
    const { mode, maxPaths, coalesceMs, pollIntervalMs, opener } = this.#options;
    if (mode === 'off')
      throw new PathError('refused', 'Subscriptions are disabled on this server (--watch off).');
    if (this.#watched.size >= maxPaths) {
      throw new PathError(
        'refused',
        `The server watches at most ${maxPaths} paths at once (--max-subscriptions). Unsubscribe from one first.`,
      );
    }
    const listeners: WatchedPath['listeners'] = new Set();
    const onChange = () => {
      for (const listener of listeners) listener.onChange();
    };
    const watch = new PathWatch(realPath, within, {
      directories: this.#directories,
      coalesceMs,
      pollIntervalMs,
      opener,
      onChange,
    });
    const watched = { watch, listeners, started: watch.start() };
    this.#watched.set(realPath, watched);
    return watched;
  }
}

interface WatchedPath {
  readonly watch: PathWatch;
  readonly started: Promise<void>;
  readonly listeners: Set<{ readonly onChange: () => void }>;
}
