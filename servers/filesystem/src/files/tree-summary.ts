import path from 'node:path';
import {
  requireDepth,
  requireSameFileSystem,
  type PinnedPath,
  type Sandbox,
  type TreeRun,
} from '@signalbox/file-sandbox';
import { entryType } from './entry-type.ts';

/** Counts of the entries below a directory. */
export interface TreeSummary {
  readonly directories: number;
  /** Number of other entries; links are not followed. */
  readonly files: number;
  /** Whether an entry below is denied; the count then stops. */
  readonly holdsDenied: boolean;
}

/**
 * Counts the entries of a tree through pinned directories, without entering another file system.
 * @throws PathError for what cannot be looked at
 */
export async function summarizeTree(
  root: PinnedPath,
  run: TreeRun & { readonly sandbox: Sandbox },
): Promise<TreeSummary> {
  const counts = { directories: 0, files: 0, holdsDenied: false };
  await count(root, 0);
  return counts;

  async function count(directory: PinnedPath, depth: number): Promise<void> {
    requireSameFileSystem(directory, root);
    requireDepth(directory, depth);
    for await (const entry of await directory.entries()) {
      run.signal.throwIfAborted();
      if (run.sandbox.isDenied(path.join(directory.realPath, entry.name)))
        counts.holdsDenied = true;
      if (counts.holdsDenied) return;
      const isDirectory = (await entryType(entry, directory.address)) === 'directory';
      if (isDirectory) counts.directories++;
      else counts.files++;
      run.onEntries(counts.directories + counts.files);
      if (!isDirectory) continue;
      await using below = await run.sandbox.pinEntry({ directory, name: entry.name });
      await count(below, depth + 1);
    }
  }
}
