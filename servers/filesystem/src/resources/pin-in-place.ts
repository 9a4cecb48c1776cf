import type { Opener, PinnedPath } from '../sandbox/pinned-path.ts';

/** Holds what is at a real path; `undefined` when nothing is, or when a link on the way leads elsewhere by now. Never throws. The caller closes it. */
export async function pinInPlace(
  opener: Opener,
  realPath: string,
): Promise<PinnedPath | undefined> {
  const pinned = await opener.pin(realPath, { followLast: false }).catch(() => undefined);
  if (pinned === undefined || pinned.realPath === realPath) return pinned;
  await pinned.close().catch(() => undefined);
  return undefined;
}
