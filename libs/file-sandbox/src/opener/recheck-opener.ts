import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { CheckedPath, identityOf, openWithoutLastLink } from './checked-path.ts';
import { outsideError, PathError } from '../path/path-error.ts';
import type { Opener, PinOptions } from './pinned-path.ts';
import { resolveRealPath } from '../path/resolve-real-path.ts';

/**
 * The opener for platforms whose kernel does not report the path of a descriptor. It resolves a
 * path, opens it without following a last link, and resolves it again; file, path and identity must
 * agree. Residual risk: it does not notice a directory that is swapped and swapped back between
 * these steps.
 */
export const recheckOpener: Opener = {
  kind: 'recheck',
  async pin(given, options = {}) {
    for (let attempt = 1; ; attempt++) {
      const pinned = await find(given, options);
      try {
        await pinned.verify();
        return pinned;
      } catch (error) {
        // Another call may have replaced the file between the steps, which does not mean that it is
        // outside.
        if (!(error instanceof PathError) || attempt === maxAttempts) throw error;
      }
    }
  },
};

const maxAttempts = 20;

async function find(given: string, { followLast = true }: PinOptions): Promise<CheckedPath> {
  const realPath = followLast
    ? await resolveRealPath(given)
    : path.join(await resolveRealPath(path.dirname(given)), path.basename(given));
  const stats = await lstat(realPath);
  if (stats.isSymbolicLink()) throw outsideError(given);
  const identity = identityOf(await lstat(realPath, { bigint: true }));
  return new CheckedPath({ realPath, stats, identity, open: openWithoutLastLink });
}
