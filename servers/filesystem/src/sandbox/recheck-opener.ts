import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { CheckedPath, identityOf, openWithoutLastLink } from './checked-path.ts';
import { outsideError } from './path-error.ts';
import type { Opener } from './pinned-path.ts';
import { resolveRealPath } from './resolve-real-path.ts';

/**
 * Platforms whose kernel does not name the file behind a descriptor: the path is resolved, opened without following a last link, and resolved
 * again; file, path and identity must agree. A directory swapped and swapped back between these steps goes unnoticed: the residual risk.
 */
export const recheckOpener: Opener = {
  kind: 'recheck',
  async pin(given, options = {}) {
    const realPath =
      options.followLast === false
        ? path.join(await resolveRealPath(path.dirname(given)), path.basename(given))
        : await resolveRealPath(given);
    const stats = await lstat(realPath);
    if (stats.isSymbolicLink()) throw outsideError(given);
    const identity = identityOf(await lstat(realPath, { bigint: true }));
    const pinned = new CheckedPath({ realPath, stats, identity, open: openWithoutLastLink });
    await pinned.verify();
    return pinned;
  },
};
