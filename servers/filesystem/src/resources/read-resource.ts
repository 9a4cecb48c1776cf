import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import type { ResourceContents } from '@signalbox/mcp-core';
import { listEntries } from '../files/list-entries.ts';
import { jsonBytes, resultBudgetBytes, type Limits } from '../files/limits.ts';
import { requireRegularFile } from '../files/read-text.ts';
import { PathError } from '../sandbox/path-error.ts';
import type { PinnedPath } from '../sandbox/pinned-path.ts';
import { mimeTypeOf } from './mime-type.ts';

/** Largest file a resource read returns: its base64 is exactly the result budget. */
export const maxResourceBytes = (resultBudgetBytes / 4) * 3;

export interface ReadResourceOptions {
  readonly uri: string;
  readonly limits: Limits;
  readonly signal: AbortSignal;
}

/**
 * A file as text when it is UTF-8 without NUL, else as base64; a directory as JSON `{ entries: [{ name, type }], truncated }`.
 * @throws PathError for files over `maxResourceBytes` and for anything that is neither file nor directory
 */
export async function readResourceContents(pinned: PinnedPath, options: ReadResourceOptions): Promise<ResourceContents> {
  const { uri, limits, signal } = options;
  if (pinned.stats.isDirectory()) {
    const { entries, hasMore } = await listEntries(pinned, { limit: limits.maxEntries, signal });
    return { uri, mimeType: 'application/json', text: JSON.stringify({ entries, truncated: hasMore }) };
  }
  requireRegularFile(pinned);
  const bytes = await readBounded(pinned);
  const mimeType = mimeTypeOf(pinned.realPath);
  if (isUtf8(bytes) && !bytes.includes(0)) {
    const text = bytes.toString();
    if (jsonBytes(text) <= resultBudgetBytes) return { uri, mimeType: mimeType ?? 'text/plain', text };
  }
  return { uri, mimeType: mimeType ?? 'application/octet-stream', blob: bytes.toString('base64') };
}

async function readBounded(file: PinnedPath): Promise<Buffer> {
  await using handle = await file.open(constants.O_RDONLY);
  const { size } = await handle.stat();
  // One byte more than said: the file may grow, and files of the kernel say 0.
  const wanted = Math.min(size || maxResourceBytes, maxResourceBytes) + 1;
  const buffer = Buffer.alloc(wanted);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, wanted - length, length);
    length += bytesRead;
    if (length > maxResourceBytes) {
      throw new PathError('refused', `${file.realPath} has ${size} bytes; a resource read returns at most ${maxResourceBytes}. Use read_text_file with offset and limit.`);
    }
    if (bytesRead === 0 || length === wanted) return buffer.subarray(0, length);
  }
}
