import { statfs } from 'node:fs/promises';
import type { PinnedPath } from '@signalbox/file-sandbox';

/**
 * Whether a directory is on a local file system, which reads a small file in microseconds or in one
 * disk access. Network and user-space file systems may never answer. Always false outside Linux.
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
