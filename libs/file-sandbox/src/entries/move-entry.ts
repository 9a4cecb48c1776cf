import {
  entryStats,
  linkEntry,
  makeDirectory,
  makeSymbolicLink,
  readSymbolicLink,
  removeDirectory,
  removeFile,
  renameEntry,
  type Place,
} from './entry-changes.ts';
import { errorCode } from '../path/path-error.ts';
import type { Stats } from 'node:fs';

/**
 * Moves an entry and never replaces anything. Node has no rename that refuses an existing target,
 * so this function first claims the new name: a second link for a file, an empty directory for a
 * directory, a new symbolic link for a link. Then it removes the old name. A crash in between
 * leaves a file or link under both names, or an empty directory beside the old one.
 * @throws the system error; `EEXIST` when the new name is taken, `EXDEV` when it is on another file system
 */
export async function moveEntry(from: Place & { readonly stats: Stats }, to: Place): Promise<void> {
  if (await isOtherSpelling(from, to)) return renameEntry(from, to);
  if (from.stats.isDirectory()) return moveDirectory(from, to);
  if (from.stats.isSymbolicLink()) {
    await makeSymbolicLink(to, await readSymbolicLink(from));
    return removeOrUndo(from, to);
  }
  try {
    await linkEntry(from, to);
  } catch (error) {
    if (!linkingIsImpossible.has(errorCode(error) ?? '')) throw error;
    return moveOverPlaceholder(from, to);
  }
  await removeOrUndo(from, to);
}

/** Errors of file systems without hard links, and of Linux for files of other owners. */
const linkingIsImpossible: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
]);

/**
 * Whether the new name is another case or normalization of the old one on a file system that
 * ignores these.
 */
async function isOtherSpelling(
  from: Place & { readonly stats: Stats },
  to: Place,
): Promise<boolean> {
  if (
    fold(from.name) !== fold(to.name) ||
    from.name === to.name ||
    from.directory.identity !== to.directory.identity
  )
    return false;
  const found = await entryStats(to);
  return (
    found !== undefined &&
    found.ino === from.stats.ino &&
    found.dev === from.stats.dev &&
    (found.isDirectory() || found.nlink === 1)
  );
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

async function moveDirectory(from: Place, to: Place): Promise<void> {
  // Windows does not replace a directory, not even an empty one.
  if (process.platform === 'win32') return renameEntry(from, to);
  await makeDirectory(to, 0o700);
  try {
    await renameEntry(from, to);
  } catch (error) {
    await removeDirectory(to).catch(() => undefined);
    throw error;
  }
}

async function moveOverPlaceholder(from: Place, to: Place): Promise<void> {
  const placeholder = await to.directory.createFile(to.name, 0o600);
  await placeholder.close();
  try {
    await renameEntry(from, to);
  } catch (error) {
    await removeFile(to).catch(() => undefined);
    throw error;
  }
}

async function removeOrUndo(from: Place, to: Place): Promise<void> {
  try {
    await removeFile(from);
  } catch (error) {
    await removeFile(to).catch(() => undefined);
    throw error;
  }
}
