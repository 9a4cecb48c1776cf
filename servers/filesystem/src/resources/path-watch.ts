import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Opener } from '@signalbox/file-sandbox';
import type { DirectoryListener, DirectoryWatches } from './directory-watches.ts';
import { pinInPlace } from './pin-in-place.ts';

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

/**
 * Watches one real path through the directories from `base` down to it, so that it may be missing,
 * replaced, moved away and moved back. A file changes when its content may have changed, a
 * directory when entries appear or disappear. Polls the path while the system cannot watch or
 * `base` is missing.
 */
export class PathWatch {
  readonly #target: string;
  readonly #base: string;
  readonly #options: PathWatchOptions;
  /** Listeners of the directories from `base` down to the path, which may be a directory itself. */
  readonly #listeners: ReadonlyMap<string, DirectoryListener>;
  #seen: Signature = missing;
  /** Whether an event since the last comparison proves a change. */
  #isCertain = false;
  /** Whether there was an event since the last comparison. */
  #isDue = false;
  #isLooking = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  /** Creates a watch; `base` is the path itself or a directory above it. */
  constructor(target: string, base: string, options: PathWatchOptions) {
    this.#target = target;
    this.#base = base;
    this.#options = options;
    this.#listeners = new Map(
      chainOf(target, base).map((directory) => [directory, this.#listenerOf(directory)]),
    );
  }

  /** Resolves when further changes are detected. */
  async start(): Promise<void> {
    for (const [directory, listener] of this.#listeners)
      this.#options.directories?.listen(directory, listener);
    const isTold = await this.#attach();
    this.#seen = await signatureOf(this.#options.opener, this.#target);
    this.#lookAgain(isTold);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const [directory, listener] of this.#listeners)
      this.#options.directories?.unlisten(directory, listener);
  }

  #listenerOf(directory: string): DirectoryListener {
    if (directory === this.#target) {
      return (event) => {
        if (event === 'rename') this.#happened(true);
      };
    }
    const next = path.relative(directory, this.#target).split(path.sep)[0];
    const isParent = path.dirname(this.#target) === directory;
    const ownName = path.basename(directory);
    return (event, name) => {
      if (name === next)
        this.#happened(isParent && (event === 'rename' || !this.#seen.isDirectory));
      else if (name === undefined || (event === 'rename' && name === ownName))
        this.#happened(false);
    };
  }

  /**
   * Schedules a comparison with the last known state. A certain change is reported even if the
   * states are equal.
   */
  #happened(isCertain: boolean): void {
    this.#isCertain ||= isCertain;
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
    const isCertain = this.#isCertain;
    this.#isCertain = false;
    this.#isDue = false;
    this.#isLooking = true;
    const isTold = await this.#attach();
    const [before, now] = [this.#seen, await signatureOf(this.#options.opener, this.#target)];
    this.#isLooking = false;
    this.#seen = now;
    if (this.#isClosed) return;
    if (now.text !== before.text || (isCertain && now !== missing)) this.#options.onChange();
    this.#lookAgain(isTold);
  }

  /** Schedules the next comparison, after an event or for the next poll. */
  #lookAgain(isTold: boolean): void {
    if (this.#isDue) this.#lookAfter(this.#options.coalesceMs);
    else if (!isTold) this.#lookAfter(this.#options.pollIntervalMs);
  }

  /**
   * Refreshes the watches of all directories. Returns false when the system will not report every
   * change.
   */
  async #attach(): Promise<boolean> {
    const { directories } = this.#options;
    if (directories === undefined) return false;
    let isTold: boolean | undefined;
    for (const directory of this.#listeners.keys()) {
      const state = await directories.refresh(directory);
      // The directory above reports when a missing directory appears.
      if (state !== 'watching') isTold ??= state === 'missing' && directory !== this.#base;
    }
    return isTold ?? true;
  }
}

interface Signature {
  readonly text: string;
  readonly isDirectory: boolean;
}

const missing: Signature = { text: '', isDirectory: false };

/**
 * Returns a signature that changes with the content, without reading it; `missing` also when a link
 * on the way leads elsewhere. Never throws.
 */
async function signatureOf(opener: Opener, target: string): Promise<Signature> {
  try {
    await using parent = await pinInPlace(opener, path.dirname(target));
    if (parent === undefined) return missing;
    await parent.verify();
    const stats = await lstat(`${parent.address}/${path.basename(target) || '.'}`, {
      bigint: true,
    });
    return {
      text: [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeNs].join(':'),
      isDirectory: stats.isDirectory(),
    };
  } catch {
    return missing;
  }
}

function chainOf(target: string, base: string): readonly string[] {
  const names = path
    .relative(base, target)
    .split(path.sep)
    .filter((name) => name !== '');
  return [base, ...names.map((_, index) => path.join(base, ...names.slice(0, index + 1)))];
}
