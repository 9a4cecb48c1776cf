import type { Opener, PinnedPath } from '@signalbox/file-sandbox';

/**
 * Pins the file at a real path; `undefined` when there is none, or when a link on the way now leads
 * elsewhere. Never throws. The caller closes the result.
 */
export async function pinInPlace(
  opener: Opener,
  realPath: string,
): Promise<PinnedPath | undefined> {
  const pinned = await opener.pin(realPath, { followLast: false }).catch(() => undefined);
  if (pinned === undefined || pinned.realPath === realPath) return pinned;
  await pinned.close().catch(() => undefined);
  return undefined;
}
