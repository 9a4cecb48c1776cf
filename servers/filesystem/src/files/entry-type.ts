import type { Dirent, Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';

export const entryTypes = ['file', 'directory', 'symlink', 'other'] as const;
export type EntryType = (typeof entryTypes)[number];

/**
 * Returns the type of a directory entry without following a link; `address` leads to its directory.
 */
export async function entryType(entry: Dirent, address: string): Promise<EntryType> {
  return (
    knownType(entry) ??
    (await lstat(path.join(address, entry.name)).then(typeOf, () => 'other' as const))
  );
}

/** Returns the type of a directory entry; `undefined` where the file system does not report it in a listing. */
export function knownType(entry: Dirent): EntryType | undefined {
  const known = typeOf(entry);
  const isKnown =
    known !== 'other' ||
    entry.isFIFO() ||
    entry.isSocket() ||
    entry.isCharacterDevice() ||
    entry.isBlockDevice();
  return isKnown ? known : undefined;
}

function typeOf(entry: Dirent | Stats): EntryType {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}
