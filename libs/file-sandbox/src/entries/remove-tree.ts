import type { PinnedPath } from '../opener/pinned-path.ts';
import { deniedError, errorCode, PathError, toPathError } from '../path/path-error.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { placePath, removeDirectory, removeFile, type Place } from './entry-changes.ts';

/** A running walk through a tree. */
export interface TreeRun {
  readonly signal: AbortSignal;
  /** Called with the number of entries so far. */
  readonly onEntries: (count: number) => void;
}

/** Maximum number of levels of directories in a copy or deletion. */
export const maxTreeDepth = 256;

/**
 * Removes directories from the bottom up. Enters each through the handle of its parent, verifies
 * it, and removes names in the held directory. A directory swapped for a link is not followed: the
 * link is removed instead.
 */
export class TreeRemoval {
  readonly #sandbox: Sandbox;
  readonly #run: TreeRun;
  #root: PinnedPath | undefined;
  #removed = 0;

  constructor(sandbox: Sandbox, run: TreeRun) {
    this.#sandbox = sandbox;
    this.#run = run;
  }

  /** Number of entries removed so far. */
  get removed(): number {
    return this.#removed;
  }

  /** @throws PathError or the system error, with the path where it stopped */
  async remove(place: Place, depth = 0): Promise<void> {
    this.#run.signal.throwIfAborted();
    if (this.#sandbox.isDenied(placePath(place))) throw deniedError(placePath(place));
    try {
      switch (await removeIfFile(place)) {
        case 'removed':
          return this.#advance();
        case 'gone':
          return;
        case 'directory':
          await this.#empty(place, depth);
      }
      await removeDirectory(place);
      this.#advance();
    } catch (error) {
      throw toPathError(error, placePath(place));
    }
  }

  #advance(): void {
    this.#removed++;
    this.#run.onEntries(this.#removed);
  }

  /** Removes entries until a listing is empty, because others may appear meanwhile. */
  async #empty(place: Place, depth: number): Promise<void> {
    await using directory = await this.#sandbox.pinEntry(place);
    if (!directory.stats.isDirectory())
      throw new PathError(
        'permission',
        `${placePath(place)}: operation not permitted by the operating system`,
      );
    this.#root ??= directory;
    requireSameFileSystem(directory, this.#root);
    requireDepth(directory, depth);
    for (let round = 0; round < maxRounds; round++) {
      let isEmpty = true;
      for await (const entry of await directory.entries()) {
        isEmpty = false;
        await this.remove({ directory, name: entry.name }, depth + 1);
      }
      if (isEmpty) return;
    }
  }
}

const maxRounds = 3;

async function removeIfFile(place: Place): Promise<'removed' | 'gone' | 'directory'> {
  try {
    await removeFile(place);
    return 'removed';
  } catch (error) {
    // The error of a system that is asked to unlink a directory.
    const code = errorCode(error);
    if (code === 'EISDIR' || code === 'EPERM') return 'directory';
    if (code === 'ENOENT' && !place.name.includes('\uFFFD')) return 'gone';
    throw error;
  }
}

/** Rejects a directory on another file system than `root`.
 * @throws PathError `refused` */
export function requireSameFileSystem(directory: PinnedPath, root: PinnedPath): void {
  if (directory.stats.dev === root.stats.dev) return;
  throw new PathError(
    'refused',
    `${directory.realPath} is the root of another file system, which is not entered. Name it itself if it is meant.`,
  );
}

/** Rejects a directory that is more than `maxTreeDepth` levels below the start.
 * @throws PathError `refused` */
export function requireDepth(directory: PinnedPath, depth: number): void {
  if (depth > maxTreeDepth)
    throw new PathError(
      'refused',
      `${directory.realPath} is more than ${maxTreeDepth} levels deep.`,
    );
}
