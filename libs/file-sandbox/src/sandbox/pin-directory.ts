import { PathError } from '../path/path-error.ts';
import type { PinnedPath } from '../opener/pinned-path.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * Opens a directory. The caller closes it. `advice`: what to do if the path is something else.
 * @throws PathError
 */
export async function pinDirectory(
  sandbox: Sandbox,
  path: string,
  advice?: string,
): Promise<PinnedPath> {
  const pinned = await sandbox.pin(path);
  if (pinned.stats.isDirectory()) return pinned;
  await pinned.close();
  throw new PathError(
    'wrong-type',
    `${path} is not a directory${advice === undefined ? '.' : `; ${advice}.`}`,
  );
}
