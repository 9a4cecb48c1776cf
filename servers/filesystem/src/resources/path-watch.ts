import path from 'node:path';
import { isInside, PathError, type Opener } from '@signalbox/file-sandbox';
import type { DirectoryListener, DirectoryWatches, WatchState } from './directory-watches.ts';
import { missing, signatureOf, treeSignature, type Signature } from './path-signature.ts';

/** A file, directory or tree to watch, by real paths. */
export interface WatchTarget {
  /** Path of the file or directory, which may be missing. */
  readonly realPath: string;
  /**
   * Uppermost watched directory on the way to the path; may be the path itself when that is a
   * directory.
   */
  readonly within: string;
  /** Whether everything below the directory is watched too; default false. */
  readonly isTree?: boolean;
  /** Whether a path below the directory causes no notification; default none. */
  readonly isHidden?: (realPath: string) => boolean;
  /** Names the rules of `isHidden`: targets with different rules are watched apart. */
  readonly scope?: string;
}

export interface PathWatchOptions {
  /** Shared watches; absent: the path is polled every `pollIntervalMs`. */
  readonly directories: DirectoryWatches | undefined;
  /** Milliseconds within which changes are combined. */
  readonly coalesceMs: number;
  /** Milliseconds between two polls while the system does not report changes. */
  readonly pollIntervalMs: number;
  readonly opener: Opener;
  readonly onChange: () => void;
}

/** Maximum number of watched directories of one tree; a larger tree is polled. */
export const maxTreeDirectories = 1000;

/**
 * Watches one real path through the directories from `within` down to it, so that it may be missing,
 * replaced, moved away and moved back. A file changes when its content may have changed, a
 * directory when entries appear or disappear, a tree with anything below it. Verifies each hint:
 * all directories must be at their places. Polls the path while the system cannot watch or `within`
 * is missing.
 */
export class PathWatch {
  readonly #target: WatchTarget;
  readonly #options: PathWatchOptions;
  /** Directories from `within` down to the path, which may be a directory itself. */
  readonly #chain: readonly string[];
  /** Listeners of all watched directories, those of the tree included. */
  readonly #listeners = new Map<string, DirectoryListener>();
  #seen: Signature = missing;
  /** Directories whose hints prove a change if they are still at their places. */
  #hinted = new Set<string>();
  /** Directories of the tree whose subdirectories may have changed. */
  #unread = new Set<string>();
  /** Whether there was a hint since the last comparison. */
  #isDue = false;
  #isLooking = false;
  #isClosed = false;
  #isTooLarge = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(target: WatchTarget, options: PathWatchOptions) {
    this.#target = target;
    this.#options = options;
    this.#chain = chainOf(target.realPath, target.within);
  }

  /**
   * Resolves when further changes are detected.
   * @throws PathError for a tree of too many directories
   */
  async start(): Promise<void> {
    this.#unread.add(this.#target.realPath);
    const isReported = await this.#attach();
    if (this.#isTooLarge)
      throw new PathError(
        'refused',
        `${this.#target.realPath}: a tree of more than ${maxTreeDirectories} directories cannot be watched. Subscribe to a directory in it.`,
      );
    this.#seen = await this.#signature(isReported);
    this.#lookAgain(isReported);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const directory of this.#listeners.keys()) this.#detach(directory);
  }

  /** Handles a hint about an entry of a directory that is watched. */
  #hint(directory: string, ...[kind, name]: Parameters<DirectoryListener>): void {
    const { realPath, isTree = false, isHidden } = this.#target;
    if (isInside(directory, realPath)) {
      if (kind === 'any') return;
      const entry = name === undefined ? undefined : path.join(directory, name);
      // The content of a directory that is watched "changes" when a link replaces it.
      const isDirectory = entry !== undefined && this.#listeners.has(entry);
      if (isTree && (kind === 'entries' || isDirectory)) this.#unread.add(directory);
      if (entry !== undefined) {
        if (isHidden?.(entry) === true || (kind === 'content' && !isTree)) return;
        this.#hinted.add(directory);
      }
    } else {
      const next = path.relative(directory, realPath).split(path.sep)[0];
      if (name !== undefined && name !== next) return;
      const isParent = path.dirname(realPath) === directory && name !== undefined;
      const isChange = kind === 'entries' || (kind === 'content' && !this.#seen.isDirectory);
      if (isParent && isChange) this.#hinted.add(directory);
    }
    this.#schedule();
  }

  /** Schedules a comparison with the last known state. */
  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    if (!this.#isLooking) this.#lookAfter(this.#options.coalesceMs);
  }

  #lookAfter(delayMs: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), delayMs).unref();
  }

  async #look(): Promise<void> {
    const hinted = this.#hinted;
    this.#hinted = new Set();
    this.#isDue = false;
    this.#isLooking = true;
    const isReported = await this.#attach();
    const [before, now] = [this.#seen, await this.#signature(isReported)];
    const isChanged =
      now.text !== before.text || (now !== missing && (await this.#isInPlace(hinted)));
    this.#isLooking = false;
    this.#seen = now;
    if (this.#isClosed) return;
    if (isChanged) this.#options.onChange();
    this.#lookAgain(isReported);
  }

  /** Schedules the next comparison, after a hint or for the next poll. */
  #lookAgain(isReported: boolean): void {
    if (this.#isDue) this.#lookAfter(this.#options.coalesceMs);
    else if (!isReported) this.#lookAfter(this.#options.pollIntervalMs);
  }

  /** A tree needs a signature of everything only while its directories are not watched. */
  #signature(isReported: boolean): Promise<Signature> {
    const { realPath, isTree = false, isHidden = () => false } = this.#target;
    const { opener } = this.#options;
    return isTree && !isReported
      ? treeSignature(opener, realPath, isHidden)
      : signatureOf(opener, realPath);
  }

  /** Whether one of the directories is watched and still at its place. */
  async #isInPlace(directories: ReadonlySet<string>): Promise<boolean> {
    for (const directory of directories)
      if (this.#listeners.has(directory) && (await this.#watch(directory)) === 'watching')
        return true;
    return false;
  }

  /**
   * Watches the directories that are at their places now. Returns false when the system will not
   * report every change.
   */
  async #attach(): Promise<boolean> {
    if (this.#options.directories === undefined) return false;
    let isReported: boolean | undefined;
    for (const directory of this.#chain) {
      const state = await this.#watch(directory);
      // The directory above reports when a missing directory appears.
      if (state !== 'watching')
        isReported ??= state === 'missing' && directory !== this.#target.within;
    }
    return (isReported ?? true) && (await this.#followTree(this.#options.directories));
  }

  async #followTree(directories: DirectoryWatches): Promise<boolean> {
    const { isTree = false, isHidden = () => false } = this.#target;
    if (!isTree) return true;
    // A directory that changes again meanwhile is left to the next comparison.
    const unread = this.#unread;
    this.#unread = new Set();
    for (const directory of unread) {
      unread.delete(directory);
      if (!this.#listeners.has(directory)) continue;
      const children = new Set(
        directories.subdirectories(directory).map((name) => path.join(directory, name)),
      );
      for (const known of this.#listeners.keys())
        if (
          path.dirname(known) === directory &&
          !this.#chain.includes(known) &&
          !children.has(known)
        )
          this.#forget(known);
      for (const child of children) {
        if (this.#isClosed || isHidden(child)) continue;
        const isNew = !this.#listeners.has(child);
        this.#isTooLarge = isNew && this.#listeners.size >= maxTreeDirectories;
        const state = this.#isTooLarge ? 'unavailable' : await this.#watch(child);
        if (state === 'unavailable') {
          this.#unread = new Set([directory, ...unread, ...this.#unread]);
          return false;
        }
        if (state === 'missing') this.#forget(child);
        else if (isNew) unread.add(child);
      }
    }
    return true;
  }

  async #watch(directory: string): Promise<WatchState> {
    if (this.#isClosed) return 'missing';
    const listener =
      this.#listeners.get(directory) ?? ((...hint) => this.#hint(directory, ...hint));
    this.#listeners.set(directory, listener);
    return (await this.#options.directories?.attach(directory, listener)) ?? 'unavailable';
  }

  #detach(directory: string): void {
    const listener = this.#listeners.get(directory);
    this.#listeners.delete(directory);
    if (listener !== undefined) this.#options.directories?.detach(directory, listener);
  }

  /** Ends the watches of a directory of the tree and of everything below it. */
  #forget(directory: string): void {
    for (const known of this.#listeners.keys()) if (isInside(known, directory)) this.#detach(known);
    for (const unread of this.#unread) if (isInside(unread, directory)) this.#unread.delete(unread);
  }
}

function chainOf(target: string, base: string): readonly string[] {
  const names = path
    .relative(base, target)
    .split(path.sep)
    .filter((name) => name !== '');
  return [base, ...names.map((_, index) => path.join(base, ...names.slice(0, index + 1)))];
}
