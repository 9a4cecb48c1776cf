import type { Stats } from 'node:fs';
import { link, lstat, mkdir, readlink, rename, rmdir, symlink, unlink } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from './path-error.ts';
import type { PinnedPath } from './pinned-path.ts';

/** One name in a verified directory. No function here follows a symbolic link of that name; all throw the system error. */
export interface Place {
  readonly directory: PinnedPath;
  readonly name: string;
}

/** Where the entry is, for messages and comparisons. */
export function placePath(place: Place): string {
  return path.join(place.directory.realPath, place.name);
}

/** `undefined` when there is nothing of that name. */
export async function entryStats(place: Place): Promise<Stats | undefined> {
  try {
    return await lstat(await addressOf(place));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}

export async function removeFile(place: Place): Promise<void> {
  await unlink(await addressOf(place));
}

/** Only an empty one. */
export async function removeDirectory(place: Place): Promise<void> {
  await rmdir(await addressOf(place));
}

/** `EEXIST` when the name is taken by anything. */
export async function makeDirectory(place: Place, mode = 0o777): Promise<void> {
  await mkdir(await addressOf(place), { mode });
}

/** Atomic; replaces a file, or an empty directory by a directory. */
export async function renameEntry(from: Place, to: Place): Promise<void> {
  await rename(await addressOf(from), await addressOf(to));
}

/** A second name of the same file; `EEXIST` when the name is taken by anything. */
export async function linkEntry(existing: Place, added: Place): Promise<void> {
  await link(await addressOf(existing), await addressOf(added));
}

/** `EEXIST` when the name is taken by anything. */
export async function makeSymbolicLink(place: Place, target: string): Promise<void> {
  await symlink(target, await addressOf(place));
}

export async function readSymbolicLink(place: Place): Promise<string> {
  return readlink(await addressOf(place));
}

async function addressOf({ directory, name }: Place): Promise<string> {
  await directory.verify();
  return path.join(directory.address, name);
}
