import { constants } from 'node:fs';
import { access, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { PinnedPath } from '../opener/pinned-path.ts';
import { PathError } from '../path/path-error.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { hashOf, hashOfFile } from './file-hash.ts';
import { withFileTarget, type FileTarget } from './file-target.ts';
import { replaceFile } from './replace-file.ts';
import { requireRegularFile } from './require-regular-file.ts';
import { sweepAround } from './sweep-leftovers.ts';

/** Settings of one write. */
export interface WriteOptions {
  readonly createParents: boolean;
  /** Expected hash of the current content; checked again right before the replacement. */
  readonly expectedHash?: string | undefined;
  /** Whether to refuse to replace a file; default false. */
  readonly onlyNew?: boolean | undefined;
  /** Aborts the write; before the last step this leaves the file unchanged. */
  readonly signal: AbortSignal;
}

/** Result of a write. */
export interface WrittenFile {
  readonly realPath: string;
  readonly created: boolean;
  /** Hash of the new content. */
  readonly hash: string;
}

/**
 * Replaces or creates a file so that a reader sees the old or the new content, never a part. Keeps
 * the mode and, where possible, the owner; follows symbolic links inside the sandbox. Writes a file
 * with several hard links, or a file that is itself an allowed path, in place.
 * @throws PathError
 */
export async function writeAtomically(
  sandbox: Sandbox,
  target: { readonly path: string; readonly content: Buffer },
  options: WriteOptions,
): Promise<WrittenFile> {
  const { createParents, expectedHash, onlyNew = false, signal } = options;
  return withFileTarget(sandbox, target.path, {
    create: { createParents, parentAdvice: 'Set createParents to true to create it.' },
    signal,
    body: async (found) => {
      if (onlyNew && found.file !== undefined)
        throw new PathError(
          'refused',
          `${target.path} has appeared meanwhile; nothing was written. Call again.`,
        );
      if (expectedHash !== undefined)
        await requireHash(found, expectedHash, { path: target.path, signal });
      return writeTarget(sandbox, found, { content: target.content, expectedHash, signal });
    },
  });
}

/** New content of a target whose lock is held. */
export interface TargetWrite {
  readonly content: Buffer;
  /** Expected hash right before the replacement; default: any. */
  readonly expectedHash?: string | undefined;
  readonly signal: AbortSignal;
}

/** Does the same as `writeAtomically` for a target whose lock is held. */
export async function writeTarget(
  sandbox: Sandbox,
  target: FileTarget,
  write: TargetWrite,
): Promise<WrittenFile> {
  const { content, signal } = write;
  const hash = hashOf(content);
  if (target.file === undefined) {
    const { directory, name } = target.place;
    sweepAround(sandbox, directory.realPath);
    await replaceFile(
      { place: { directory, name }, content, previous: undefined, beforeRename: async () => {} },
      signal,
    );
    return { realPath: path.join(directory.realPath, name), created: true, hash };
  }
  const { file } = target;
  requireRegularFile(file);
  const isUnchanged = async () => {
    if (write.expectedHash === undefined) return;
    await using current = await sandbox.pinExactly(file.realPath);
    await requireHash({ file: current }, write.expectedHash, { path: file.realPath, signal });
  };
  if (
    file.stats.nlink > 1 ||
    sandbox.directories.some((directory) => directory.realPath === file.realPath)
  ) {
    await isUnchanged();
    await overwrite(file, content, signal);
  } else {
    await access(file.address, constants.W_OK);
    await using directory = await sandbox.pinExactly(path.dirname(file.realPath));
    const place = { directory, name: path.basename(file.realPath) };
    sweepAround(sandbox, directory.realPath);
    await replaceFile({ place, content, previous: file.stats, beforeRename: isUnchanged }, signal);
  }
  return { realPath: file.realPath, created: false, hash };
}

async function requireHash(
  target: FileTarget,
  expected: string,
  { path: given, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<void> {
  if (target.file === undefined)
    throw new PathError(
      'refused',
      `${given} does not exist, but expectedHash was given. Leave it out to create the file.`,
    );
  requireRegularFile(target.file);
  await using handle = await target.file.open(constants.O_RDONLY);
  const actual = await hashOfFile(handle, { signal });
  if (actual === expected) return;
  throw new PathError(
    'refused',
    `${given} has changed: its hash is ${actual}, not the expected ${expected}. Nothing was written. Read it again.`,
  );
}

/**
 * Overwrites a file in place. Not atomic; restores the old content after a failure, for example for
 * lack of space.
 */
async function overwrite(file: PinnedPath, content: Buffer, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await using handle = await file.open(constants.O_RDWR);
  const { size } = await handle.stat();
  const covered = Buffer.alloc(Math.min(size, content.length));
  await readFully(handle, covered);
  try {
    await writeFully(handle, content);
    await handle.truncate(content.length);
    await handle.sync();
  } catch (error) {
    await writeFully(handle, covered).catch(() => undefined);
    await handle.truncate(size).catch(() => undefined);
    throw error;
  }
}

async function readFully(handle: FileHandle, buffer: Buffer): Promise<void> {
  for (let at = 0; at < buffer.length;) {
    const { bytesRead } = await handle.read(buffer, at, buffer.length - at, at);
    if (bytesRead === 0) return;
    at += bytesRead;
  }
}

async function writeFully(handle: FileHandle, content: Buffer): Promise<void> {
  for (let at = 0; at < content.length;) {
    const { bytesWritten } = await handle.write(content, at, content.length - at, at);
    at += bytesWritten;
  }
}
