import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { PathError, toPathError } from '../sandbox/path-error.ts';
import type { PinnedPath } from '../sandbox/pinned-path.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { requireRegularFile } from './read-text.ts';

export interface WriteOptions {
  readonly createParents: boolean;
  /** Aborting before the last step leaves the file as it was. */
  readonly signal: AbortSignal;
}

export interface WrittenFile {
  readonly realPath: string;
  readonly created: boolean;
}

/**
 * Replaces or creates a file: a reader sees the old or the new content, never a part. Mode and, where possible, owner are kept; symbolic links
 * inside the sandbox are written through. A file with several hard links, or one that is itself the allowed path, is written in place.
 * @throws PathError
 */
export async function writeAtomically(sandbox: Sandbox, target: { readonly path: string; readonly content: Buffer }, options: WriteOptions): Promise<WrittenFile> {
  const existing = await pinExisting(sandbox, target.path);
  if (existing === undefined) {
    const place = await sandbox.place(target.path, { createParents: options.createParents });
    await using directory = place.directory;
    await replace({ directory, name: place.name, content: target.content }, undefined, options.signal);
    return { realPath: path.join(directory.realPath, place.name), created: true };
  }
  await using file = existing;
  requireRegularFile(file);
  if (file.stats.nlink > 1 || sandbox.directories.some((directory) => directory.realPath === file.realPath)) {
    await overwrite(file, target.content, options.signal);
  } else {
    await access(file.address, constants.W_OK);
    await using directory = await sandbox.pinExactly(path.dirname(file.realPath));
    await replace({ directory, name: path.basename(file.realPath), content: target.content }, file.stats, options.signal);
  }
  return { realPath: file.realPath, created: false };
}

async function pinExisting(sandbox: Sandbox, target: string): Promise<PinnedPath | undefined> {
  try {
    return await sandbox.pin(target);
  } catch (error) {
    if (error instanceof PathError && error.reason === 'not-found') return undefined;
    throw error;
  }
}

async function overwrite(file: PinnedPath, content: Buffer, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await using handle = await file.open(constants.O_WRONLY);
  await handle.truncate(0);
  await handle.writeFile(content);
  await handle.sync();
}

interface Replacement {
  readonly directory: PinnedPath;
  readonly name: string;
  readonly content: Buffer;
}

async function replace(replacement: Replacement, previous: Stats | undefined, signal: AbortSignal): Promise<void> {
  const { directory, name, content } = replacement;
  const temporary = path.join(directory.address, `.signalbox-${randomBytes(8).toString('hex')}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const handle = await open(temporary, flags, previous === undefined ? 0o666 : 0o600);
  try {
    await fill(handle, content, previous);
    signal.throwIfAborted();
    await rename(temporary, path.join(directory.address, name));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw toPathError(error, path.join(directory.realPath, name));
  }
  await syncDirectory(directory);
}

async function fill(opened: FileHandle, content: Buffer, previous: Stats | undefined): Promise<void> {
  await using handle = opened;
  await handle.writeFile(content);
  if (previous !== undefined) {
    await keepOwnerAndMode(handle, previous);
  }
  await handle.sync();
}

/** Only root may give files away; without the owner its set-user-id bits must not stay either. */
async function keepOwnerAndMode(handle: FileHandle, previous: Stats): Promise<void> {
  const isOwnerKept = await handle.chown(previous.uid, previous.gid).then(
    () => true,
    () => false,
  );
  await handle.chmod(previous.mode & (isOwnerKept ? 0o7777 : 0o777));
}

/** Makes the new name durable; platforms that cannot sync a directory do it on their own time. */
async function syncDirectory(directory: PinnedPath): Promise<void> {
  const handle = await directory.open(constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
