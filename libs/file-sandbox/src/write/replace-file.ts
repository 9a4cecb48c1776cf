import { constants, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import {
  entryStats,
  placePath,
  removeFile,
  renameEntry,
  type Place,
} from '../entries/entry-changes.ts';
import { moveEntry } from '../entries/move-entry.ts';
import type { PinnedPath } from '../opener/pinned-path.ts';
import { errorCode, PathError, toPathError } from '../path/path-error.ts';
import { TargetChangedError } from './file-target.ts';
import { temporaryName } from './temporary-file.ts';

/** The content of a file, or a function that writes it. */
export type FileContent = Buffer | ((handle: FileHandle) => Promise<void>);

export interface Replacement {
  readonly place: Place;
  readonly content: FileContent;
  /** Stats of the replaced file, if any. */
  readonly previous: Stats | undefined;
  /** Called right before the rename; an error keeps the old file. */
  readonly beforeRename: () => Promise<void>;
}

/**
 * Writes a temporary file beside the target and renames it to the target. After a failure the target
 * is unchanged and the temporary file removed.
 * @throws PathError, TargetChangedError when a new file appeared meanwhile
 */
export async function replaceFile(replacement: Replacement, signal: AbortSignal): Promise<void> {
  const { place, content, previous, beforeRename } = replacement;
  const temporary = { directory: place.directory, name: temporaryName() };
  try {
    const handle = await place.directory.createFile(
      temporary.name,
      previous === undefined ? 0o666 : 0o600,
    );
    await fill(handle, content, previous);
    await beforeRename();
    signal.throwIfAborted();
    if (previous === undefined) await publishNew(temporary, place);
    else await renameEntry(temporary, place);
  } catch (error) {
    await removeFile(temporary).catch(() => undefined);
    throw toPathError(error, placePath(place));
  }
  await syncDirectory(place.directory);
}

/** Publishes a new file, and never replaces a file that appeared meanwhile. */
async function publishNew(temporary: Place, place: Place): Promise<void> {
  const stats = await entryStats(temporary);
  if (stats === undefined)
    throw new PathError(
      'io',
      `${placePath(place)}: the temporary file was removed by another program; nothing was written.`,
    );
  try {
    await moveEntry({ ...temporary, stats }, place);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new TargetChangedError();
    throw error;
  }
}

async function fill(
  opened: FileHandle,
  content: FileContent,
  previous: Stats | undefined,
): Promise<void> {
  await using handle = opened;
  await (typeof content === 'function' ? content(handle) : handle.writeFile(content));
  if (previous !== undefined) {
    await keepOwnerAndMode(handle, previous);
  }
  await handle.sync();
}

/**
 * Keeps owner and mode where possible. Only root can change the owner; without the owner the
 * set-user-id bits are dropped.
 */
async function keepOwnerAndMode(handle: FileHandle, previous: Stats): Promise<void> {
  const isOwnerKept = await handle.chown(previous.uid, previous.gid).then(
    () => true,
    () => false,
  );
  await handle.chmod(previous.mode & (isOwnerKept ? 0o7777 : 0o777));
}

/** Makes the new name durable, where the platform can sync a directory. */
async function syncDirectory(directory: PinnedPath): Promise<void> {
  const handle = await directory.open(constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
