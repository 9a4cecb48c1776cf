import { constants } from 'node:fs';
import type { PinnedPath } from '@signalbox/file-sandbox';

export interface BoundedBytes {
  /** The first bytes, at most `maxBytes`. */
  readonly bytes: Buffer;
  readonly hasMore: boolean;
}

/** Reads the start of a verified regular file, in memory for the returned bytes only. */
export async function readBounded(file: PinnedPath, maxBytes: number): Promise<BoundedBytes> {
  await using handle = await file.open(constants.O_RDONLY);
  const { size } = await handle.stat();
  // One byte more than the reported size: the file may grow, and files of /proc report 0.
  const wanted = Math.min(size || maxBytes, maxBytes) + 1;
  const buffer = Buffer.alloc(wanted);
  let length = 0;
  while (length < wanted) {
    const { bytesRead } = await handle.read(buffer, length, wanted - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return { bytes: buffer.subarray(0, Math.min(length, maxBytes)), hasMore: length > maxBytes };
}
