import { errorCode, type Opener, type PinnedPath } from '@signalbox/file-sandbox';

/**
 * Pins the file at a real path; `undefined` when there is none, or when a link on the way now leads
 * elsewhere. The caller closes the result.
 * @throws the system error when the process has no descriptor left
 */
export async function pinInPlace(
  opener: Opener,
  realPath: string,
): Promise<PinnedPath | undefined> {
  const pinned = await opener.pin(realPath, { followLast: false }).catch((error: unknown) => {
    if (['EMFILE', 'ENFILE'].includes(errorCode(error) ?? '')) throw error;
    return undefined;
  });
  if (pinned === undefined || pinned.realPath === realPath) return pinned;
  await pinned.close().catch(() => undefined);
  return undefined;
}
