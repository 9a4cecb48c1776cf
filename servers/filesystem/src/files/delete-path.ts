import {
  errorCode,
  PathError,
  placePath,
  removeDirectory,
  removeFile,
  type Sandbox,
  toPathError,
  TreeRemoval,
  type TreeRun,
} from '@signalbox/file-sandbox';
import { summarizeTree, type TreeSummary } from './tree-summary.ts';

/**
 * Counts the entries that a recursive deletion would remove; `undefined` for anything but a
 * directory with entries.
 * @throws PathError, `refused` when something below must stay
 */
export async function deletionImpact(
  sandbox: Sandbox,
  path: string,
  run: TreeRun,
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
  run: TreeRun,
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
