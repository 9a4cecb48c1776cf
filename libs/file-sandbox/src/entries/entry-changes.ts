import type { Stats } from 'node:fs';
import { link, lstat, mkdir, readlink, rename, rmdir, symlink, unlink } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../path/path-error.ts';
import type { PinnedPath } from '../opener/pinned-path.ts';

/** A name in a verified directory. No function of this file follows a symbolic link of that name; all throw the system error. */
export interface Place {
  readonly directory: PinnedPath;
  readonly name: string;
}

/** Returns the real path of an entry, for messages and comparisons. */
export function placePath(place: Place): string {
  return path.join(place.directory.realPath, place.name);
}

/** Returns the stats of an entry; `undefined` when the name does not exist. */
export async function entryStats(place: Place): Promise<Stats | undefined> {
  try {
    return await lstat(await addressOf(place));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}

/** Removes a file or a symbolic link itself. */
export async function removeFile(place: Place): Promise<void> {
  await unlink(await addressOf(place));
}

/** Removes an empty directory. */
export async function removeDirectory(place: Place): Promise<void> {
  await rmdir(await addressOf(place));
}

/** Creates the entry; fails with `EEXIST` when the name exists. */
export async function makeDirectory(place: Place, mode = 0o777): Promise<void> {
  await mkdir(await addressOf(place), { mode });
}

/** Renames an entry atomically. Replaces a file, or an empty directory by a directory. */
export async function renameEntry(from: Place, to: Place): Promise<void> {
  await rename(await addressOf(from), await addressOf(to));
}

/** Adds a second name to a file; fails with `EEXIST` when the name exists. */
export async function linkEntry(existing: Place, added: Place): Promise<void> {
  await link(await addressOf(existing), await addressOf(added));
}

/** Creates the entry; fails with `EEXIST` when the name exists. */
export async function makeSymbolicLink(place: Place, target: string): Promise<void> {
  await symlink(target, await addressOf(place));
}

/** Returns the target of a symbolic link, as it is stored. */
export async function readSymbolicLink(place: Place): Promise<string> {
  return readlink(await addressOf(place));
}

async function addressOf({ directory, name }: Place): Promise<string> {
  await directory.verify();
  return path.join(directory.address, name);
}
