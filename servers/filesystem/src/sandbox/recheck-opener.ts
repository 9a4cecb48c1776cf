import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { CheckedPath, identityOf, openWithoutLastLink } from './checked-path.ts';
import { outsideError, PathError } from './path-error.ts';
import type { Opener, PinOptions } from './pinned-path.ts';
import { resolveRealPath } from './resolve-real-path.ts';

/**
 * Platforms whose kernel does not name the file behind a descriptor: the path is resolved, opened without following a last link, and resolved
 * again; file, path and identity must agree. A directory swapped and swapped back between these steps goes unnoticed: the residual risk.
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
        // A file that another call replaced between the steps is not outside: it is found again.
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
