import { entryStats } from '../entries/entry-changes.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { TreeRemoval } from '../entries/remove-tree.ts';
import { isLeftover, isTemporaryName } from './temporary-file.ts';

/**
 * Removes the temporary files and directories that ended servers left in a directory, and returns how many. Never fails: an entry that
 * cannot be removed stays.
 */
export async function sweepLeftovers(sandbox: Sandbox, realPath: string): Promise<number> {
  let removed = 0;
  try {
    await using directory = await sandbox.pinExactly(realPath);
    if (!directory.stats.isDirectory()) return 0;
    for await (const { name } of await directory.entries()) {
      if (!isTemporaryName(name)) continue;
      const stats = await entryStats({ directory, name });
      if (stats === undefined || !isLeftover(name, stats.mtimeMs)) continue;
      const removal = new TreeRemoval(sandbox, {
        signal: new AbortController().signal,
        onEntries: () => {},
      });
      await removal.remove({ directory, name }).then(
        () => removed++,
        () => undefined,
      );
    }
  } catch {
    // The directory is gone or cannot be read.
  }
  return removed;
}

/**
 * Sweeps a directory when a server first writes there, and the allowed directories when it first writes anywhere. Runs in the background.
 */
export function sweepAround(sandbox: Sandbox, realPath: string): void {
  const swept = sandbox.sweptDirectories;
  for (const each of [realPath, ...sandbox.directories.map((directory) => directory.realPath)]) {
    if (swept.has(each) || swept.size >= maxRemembered) continue;
    swept.add(each);
    void sweepLeftovers(sandbox, each);
  }
}

/** Directories that are remembered as swept; beyond that no more are swept. */
const maxRemembered = 10_000;
