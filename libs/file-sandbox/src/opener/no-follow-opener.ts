import { constants } from 'node:fs';
import { lstat, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { CheckedPath, identityOf, type OpenWithoutLinks } from './checked-path.ts';
import { errorCode, outsideError } from '../path/path-error.ts';
import type { Opener, PinnedPath } from './pinned-path.ts';
import { resolveRealPath } from '../path/resolve-real-path.ts';

/**
 * Creates the opener for macOS. It resolves a path and opens the result with O_NOFOLLOW_ANY, which
 * fails when any component is a symbolic link, so that an opened or created file is at its path.
 * Residual risk: directories are changed by path, which is only checked right before.
 */
export function createNoFollowOpener(openWithoutLinks: OpenWithoutLinks = openNoFollowAny): Opener {
  return {
    kind: 'no-follow',
    pin: (given, options = {}) => pin(given, options.followLast !== false, openWithoutLinks),
  };
}

/** Whether this kernel knows O_NOFOLLOW_ANY; `link` is any path with a symbolic link as a component. */
export async function hasNoFollowAny(link: string): Promise<boolean> {
  try {
    const handle = await openNoFollowAny(link, constants.O_RDONLY);
    await handle.close();
    return false;
  } catch (error) {
    return errorCode(error) === 'ELOOP';
  }
}

// From Darwin's fcntl.h; missing in `fs.constants`.
const noFollowAny = 0x20000000;
/**
 * O_EVTONLY of macOS, a descriptor for events: needs no read permission and does not prevent an
 * unmount.
 */
const eventsOnly = 0x8000;

function openNoFollowAny(target: string, flags: number, mode?: number): Promise<FileHandle> {
  return open(target, flags | noFollowAny, mode);
}

async function pin(
  given: string,
  followLast: boolean,
  openWithoutLinks: OpenWithoutLinks,
): Promise<PinnedPath> {
  const realPath = followLast
    ? await resolveRealPath(given)
    : path.join(await resolveRealPath(path.dirname(given)), path.basename(given));
  const found = await lstat(realPath);
  if (found.isSymbolicLink()) throw outsideError(given);
  if (!found.isFile() && !found.isDirectory()) {
    // Opening a device has effects. Devices are never read, and their paths are checked like all
    // others.
    const special = new CheckedPath({
      realPath,
      stats: found,
      identity: identityOf(await lstat(realPath, { bigint: true })),
      open: openWithoutLinks,
    });
    await special.verify();
    return special;
  }
  const handle = await openWithoutLinks(
    realPath,
    constants.O_RDONLY | constants.O_NONBLOCK | eventsOnly,
  );
  try {
    const identity = identityOf(await handle.stat({ bigint: true }));
    return new CheckedPath({
      realPath,
      stats: await handle.stat(),
      identity,
      open: openWithoutLinks,
      handle,
    });
  } catch (error) {
    await handle.close();
    throw error;
  }
}
