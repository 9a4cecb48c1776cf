import { constants } from 'node:fs';
import { placePath } from '../sandbox/entry-changes.ts';
import { toPathError } from '../sandbox/path-error.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { withFileTarget, type FileTarget } from './file-target.ts';
import { requireRegularFile } from './read-text.ts';

export interface AppendOptions {
  readonly createIfMissing: boolean;
  readonly signal: AbortSignal;
}

export interface AppendedFile {
  readonly realPath: string;
  readonly created: boolean;
  /** Bytes of the whole file afterwards. */
  readonly size: number;
}

/**
 * Adds bytes at the end of a file, wherever that is by then: other writers that append lose nothing. When it fails, for lack of space for
 * example, the part that was added is removed again unless somebody appended behind it.
 * @throws PathError
 */
export async function appendFile(sandbox: Sandbox, target: { readonly path: string; readonly content: Buffer }, options: AppendOptions): Promise<AppendedFile> {
  const { createIfMissing, signal } = options;
  return withFileTarget(sandbox, target.path, {
    ...(createIfMissing ? { create: { createParents: false } } : {}),
    signal,
    body: async (found) => {
      signal.throwIfAborted();
      const realPath = found.file === undefined ? placePath(found.place) : found.file.realPath;
      try {
        return { realPath, created: found.file === undefined, size: await append(found, target.content) };
      } catch (error) {
        throw toPathError(error, target.path);
      }
    },
  });
}

async function append(target: FileTarget, content: Buffer): Promise<number> {
  if (target.file !== undefined) requireRegularFile(target.file);
  await using handle = target.file === undefined ? await target.place.directory.createFile(target.place.name, 0o666) : await target.file.open(constants.O_WRONLY | constants.O_APPEND);
  const before = (await handle.stat()).size;
  let written = 0;
  try {
    while (written < content.length) written += (await handle.write(content, written)).bytesWritten;
    await handle.sync();
  } catch (error) {
    const { size } = await handle.stat();
    if (size === before + written) await handle.truncate(before);
    throw error;
  }
  return (await handle.stat()).size;
}
