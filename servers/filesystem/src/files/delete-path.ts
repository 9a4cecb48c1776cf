import { placePath, removeDirectory, removeFile, type Place } from '../sandbox/entry-changes.ts';
import { deniedError, errorCode, PathError, toPathError } from '../sandbox/path-error.ts';
import type { PinnedPath } from '../sandbox/pinned-path.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import {
  requireDepth,
  requireSameFileSystem,
  summarizeTree,
  type TreeRun,
  type TreeSummary,
} from './tree-summary.ts';

/**
 * Counts the entries that a recursive deletion would remove; `undefined` for anything but a
 * directory with entries.
 * @throws PathError, `refused` when something below must stay
 */
export async function deletionImpact(
  sandbox: Sandbox,
  path: string,
  run: Omit<TreeRun, 'sandbox'>,
): Promise<TreeSummary | undefined> {
  const entry = await sandbox.entry(path);
  await using parent = entry.directory;
  if (!entry.stats.isDirectory()) return undefined;
  await using directory = await sandbox.pinEntry({ directory: parent, name: entry.name });
  const summary = await summarizeTree(directory, { ...run, sandbox });
  if (summary.holdsDenied)
    throw new PathError(
      'refused',
      `${path} holds something that the configuration of this server denies (--deny); nothing was removed.`,
    );
  return summary.directories + summary.files === 0 ? undefined : summary;
}

/**
 * Removes a file, a symbolic link itself, an empty directory, or with `recursive` a directory and
 * its contents.
 * @returns how many entries were removed
 * @throws PathError that says how many were removed before
 */
export async function deletePath(
  sandbox: Sandbox,
  target: { readonly path: string; readonly recursive: boolean },
  run: Omit<TreeRun, 'sandbox'>,
): Promise<number> {
  const entry = await sandbox.entry(target.path);
  await using parent = entry.directory;
  run.signal.throwIfAborted();
  if (!entry.stats.isDirectory()) {
    return await sandbox.locks.run([placePath(entry)], run.signal, async () => {
      await removeFile(entry).catch((error: unknown) => {
        throw toPathError(error, target.path);
      });
      return 1;
    });
  }
  if (!target.recursive) {
    await removeDirectory(entry).catch((error: unknown) => {
      throw notEmptyError(error, target.path);
    });
    return 1;
  }
  const removal = new TreeRemoval(sandbox, run);
  try {
    await removal.remove({ directory: parent, name: entry.name });
  } catch (error) {
    run.signal.throwIfAborted();
    const failure = toPathError(error, target.path);
    if (!(failure instanceof PathError)) throw failure;
    throw new PathError(
      failure.reason,
      `${failure.message} (${removal.removed} entries were removed before.)`,
      { cause: error },
    );
  }
  return removal.removed;
}

function notEmptyError(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (code !== 'ENOTEMPTY' && code !== 'EEXIST') return toPathError(error, path);
  return new PathError(
    'refused',
    `${path}: the directory is not empty; nothing was removed. Set recursive to remove everything in it.`,
    { cause: error },
  );
}

/**
 * Removes directories from the bottom up. Enters each through the handle of its parent, verifies
 * it, and removes names in the held directory. A directory swapped for a link is not followed: the
 * link is removed instead.
 */
export class TreeRemoval {
  readonly #sandbox: Sandbox;
  readonly #run: Omit<TreeRun, 'sandbox'>;
  #root: PinnedPath | undefined;
  #removed = 0;

  constructor(sandbox: Sandbox, run: Omit<TreeRun, 'sandbox'>) {
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
