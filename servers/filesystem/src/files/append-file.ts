import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import {
  errorCode,
  type FileTarget,
  PathError,
  placePath,
  type Sandbox,
  TargetChangedError,
  toPathError,
  withFileTarget,
} from '@signalbox/file-sandbox';
import { requireRegularFile } from './read-text.ts';
import { parentAdvice } from './free-place.ts';
import { encodeText, inspectStart, type TextEncoding } from './text-encoding.ts';

export interface AppendOptions {
  readonly createIfMissing: boolean;
  readonly signal: AbortSignal;
}

export interface AppendedFile {
  readonly realPath: string;
  readonly created: boolean;
  /** Number of added bytes. */
  readonly bytes: number;
  /** Size of the file afterwards, in bytes. */
  readonly size: number;
}

/**
 * Appends text to a file in the encoding of the file. Concurrent appends of other programs lose
 * nothing. After a failure, for example for lack of space, removes the written part unless another
 * program appended behind it.
 * @throws PathError, `refused` for characters whose bytes in the encoding of the file are not known
 */
export async function appendFile(
  sandbox: Sandbox,
  target: { readonly path: string; readonly content: string },
  options: AppendOptions,
): Promise<AppendedFile> {
  const { createIfMissing, signal } = options;
  return withFileTarget(sandbox, target.path, {
    ...(createIfMissing ? { create: { createParents: false, parentAdvice } } : {}),
    signal,
    body: async (found) => {
      signal.throwIfAborted();
      const realPath = found.file === undefined ? placePath(found.place) : found.file.realPath;
      try {
        return { realPath, created: found.file === undefined, ...(await append(found, target)) };
      } catch (error) {
        throw toPathError(error, target.path);
      }
    },
  });
}

async function append(
  target: FileTarget,
  { path, content }: { readonly path: string; readonly content: string },
): Promise<{ readonly bytes: number; readonly size: number }> {
  await using handle = await openForAppending(target);
  const before = (await handle.stat()).size;
  const bytes = encodeText(content, {
    encoding: await encodingAtEnd(handle, { path, size: before, content }),
    bom: false,
  });
  let written = 0;
  try {
    while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten;
    await handle.sync();
  } catch (error) {
    const { size } = await handle.stat();
    if (size === before + written) await handle.truncate(before);
    throw error;
  }
  return { bytes: bytes.length, size: (await handle.stat()).size };
}

async function openForAppending(target: FileTarget): Promise<FileHandle> {
  if (target.file !== undefined) {
    requireRegularFile(target.file);
    return target.file.open(constants.O_RDWR | constants.O_APPEND);
  }
  try {
    return await target.place.directory.createFile(target.place.name, 0o666);
  } catch (error) {
    throw errorCode(error) === 'EEXIST' ? new TargetChangedError() : error;
  }
}

/** Bytes inspected at each end of a file; a file of up to twice as many is inspected as a whole. */
const inspectedBytes = 1024 * 1024;

/** Returns the encoding in which text can be appended without damage to the file. */
async function encodingAtEnd(
  handle: FileHandle,
  {
    path,
    size,
    content,
  }: { readonly path: string; readonly size: number; readonly content: string },
): Promise<Exclude<TextEncoding, 'latin1'>> {
  if (size === 0) return 'utf-8';
  const start = await readPart(
    handle,
    0,
    Math.min(size, size <= 2 * inspectedBytes ? size : inspectedBytes),
  );
  const found = inspectStart(start.subarray(0, 8192));
  if (found === undefined)
    throw new PathError(
      'binary',
      `${path} is a binary file; text is not added to it. Nothing was written.`,
    );
  if (found.encoding !== 'utf-8') {
    if (size % 2 === 0) return found.encoding;
    throw new PathError(
      'binary',
      `${path} is damaged ${found.encoding} text, with half a character at its end. Nothing was written.`,
    );
  }
  const foreign = /[^\0-\x7f]/u.exec(content);
  const end =
    start.length === size
      ? undefined
      : await readPart(handle, size - inspectedBytes, inspectedBytes);
  if (foreign === null || (isUtf8Part(start) && (end === undefined || isUtf8Part(end))))
    return 'utf-8';
  throw new PathError(
    'refused',
    `${path} is not UTF-8, and how its encoding writes ${JSON.stringify(foreign[0])} is not known. Nothing was written. Use ASCII, or convert the file first.`,
  );
}

async function readPart(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let at = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, at, length - at, position + at);
    at += bytesRead;
    if (bytesRead === 0 || at === length) return buffer.subarray(0, at);
  }
}

/** Whether bytes are UTF-8, apart from characters cut at both ends. */
function isUtf8Part(bytes: Buffer): boolean {
  if (isUtf8(bytes)) return true;
  let from = 0;
  while (from < 3 && isContinuation(bytes[from])) from++;
  let to = bytes.length;
  while (to > bytes.length - 3 && isContinuation(bytes[to - 1])) to--;
  return isUtf8(bytes.subarray(from)) || isUtf8(bytes.subarray(from, to - 1));
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
