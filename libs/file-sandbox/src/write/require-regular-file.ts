import type { PinnedPath } from '../opener/pinned-path.ts';
import { PathError } from '../path/path-error.ts';

/**
 * Rejects anything but a regular file. `advice`: what to do with a directory.
 * @throws PathError `wrong-type` or `special-file`
 */
export function requireRegularFile(file: PinnedPath, advice?: string): void {
  if (file.stats.isFile()) return;
  if (file.stats.isDirectory())
    throw new PathError(
      'wrong-type',
      `${file.realPath} is a directory${advice === undefined ? '.' : `; ${advice}.`}`,
    );
  throw new PathError(
    'special-file',
    `${file.realPath} is a FIFO, socket or device; only regular files are read and written.`,
  );
}
