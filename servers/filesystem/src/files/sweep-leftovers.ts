import { entryStats } from '../sandbox/entry-changes.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { TreeRemoval } from './delete-path.ts';
import { isLeftover, isTemporaryName } from './temporary-file.ts';

/**
 * Removes the temporary files and directories that ended servers left in a directory. Never fails: what cannot be removed stays.
 * @returns how many were removed
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
    // The directory is gone or cannot be read: nothing of it can be swept.
  }
  return removed;
}

/** Sweeps each directory when a server first writes there, and the allowed directories when it first writes anywhere. */
export class LeftoverSweeper {
  readonly #swept = new Set<string>();

  /** Begins in the background. */
  sweepAround(sandbox: Sandbox, realPath: string): void {
    for (const each of [realPath, ...sandbox.directories.map((directory) => directory.realPath)]) {
      if (this.#swept.has(each) || this.#swept.size >= maxRemembered) continue;
      this.#swept.add(each);
      void sweepLeftovers(sandbox, each);
    }
  }
}

/** Directories that are remembered as swept; beyond that no more are swept. */
const maxRemembered = 10_000;
