import { statfs } from 'node:fs/promises';
import type { PinnedPath } from '../sandbox/pinned-path.ts';

/**
 * Whether a directory is on a file system of this machine, whose small files are read within microseconds, or in the time of one access to a disk. Network
 * and user-space file systems may not answer at all. Known on Linux only.
 */
export async function isOnQuickFileSystem(directory: PinnedPath): Promise<boolean> {
  if (process.platform !== 'linux' || !directory.isHeld) return false;
  try {
    return localTypes.has((await statfs(directory.address)).type);
  } catch {
    return false;
  }
}

/** Magic numbers of Linux's magic.h: ext2 to ext4, XFS, Btrfs, tmpfs, overlay, F2FS, ZFS. */
const localTypes: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1,
]);
