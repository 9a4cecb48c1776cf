import type { Dirent, Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';

export const entryTypes = ['file', 'directory', 'symlink', 'other'] as const;
export type EntryType = (typeof entryTypes)[number];

/**
 * Returns the type of a directory entry without following a link; `address` leads to its directory.
 */
export async function entryType(entry: Dirent, address: string): Promise<EntryType> {
  const known = typeOf(entry);
  if (
    known !== 'other' ||
    entry.isFIFO() ||
    entry.isSocket() ||
    entry.isCharacterDevice() ||
    entry.isBlockDevice()
  )
    return known;
  // Some file systems do not report the type in a listing.
  return lstat(path.join(address, entry.name)).then(typeOf, () => 'other');
}

function typeOf(entry: Dirent | Stats): EntryType {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}
