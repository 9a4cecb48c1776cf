import { constants } from 'node:fs';
import { copyFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, type PinnedPath, type Place, removeFile } from '@signalbox/file-sandbox';

export interface CopyRun {
  readonly signal: AbortSignal;
  /** Called with the number of bytes of this file so far. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Copies the content and the permissions of a regular file to a free name, without special mode
 * bits. Clones the data where the file system can. Removes the copy after a failure or
 * cancellation.
 * @returns bytes
 * @throws the system error, or the signal's reason
 */
export async function copyContent(file: PinnedPath, target: Place, run: CopyRun): Promise<number> {
  run.signal.throwIfAborted();
  if (file.isHeld && target.directory.isHeld && (await isCopiedBySystem(file, target)))
    return file.stats.size;
  try {
    return await copyInPieces(file, target, run);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') await removeFile(target).catch(() => undefined);
    throw error;
  }
}

/** The largest file whose copy by the system cannot be interrupted. */
const maxUninterruptedBytes = 8 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

/**
 * Whether the system copied the file: a small file inside the kernel, a large file only as a clone,
 * which takes no time.
 */
async function isCopiedBySystem(file: PinnedPath, target: Place): Promise<boolean> {
  const address = path.join(target.directory.address, target.name);
  const isSmall = file.stats.size <= maxUninterruptedBytes;
  // Files of /proc report a size of 0.
  if (file.stats.size === 0 || (file.stats.mode & 0o7000) !== 0) return false;
  try {
    await copyFile(
      file.address,
      address,
      constants.COPYFILE_EXCL |
        (isSmall ? constants.COPYFILE_FICLONE : constants.COPYFILE_FICLONE_FORCE),
    );
    return true;
  } catch (error) {
    if (isSmall || errorCode(error) === 'EEXIST') throw error;
    return false;
  }
}

async function copyInPieces(file: PinnedPath, target: Place, run: CopyRun): Promise<number> {
  await using source = await file.open(constants.O_RDONLY);
  await using copy = await target.directory.createFile(target.name, 0o600);
  const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, file.stats.size + 1024));
  let position = 0;
  for (;;) {
    run.signal.throwIfAborted();
    const { bytesRead } = await source.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    // A part that is not written takes no space, as in a sparse original.
    if (!isZero(buffer, bytesRead)) await writeAll(copy, buffer.subarray(0, bytesRead), position);
    position += bytesRead;
    run.onBytes(position);
  }
  await copy.truncate(position);
  await copy.chmod(file.stats.mode & 0o777);
  return position;
}

const zeros = Buffer.alloc(pieceBytes);

function isZero(buffer: Buffer, length: number): boolean {
  return buffer.compare(zeros, 0, length, 0, length) === 0;
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

/** Gives a directory the permissions of another, special bits left out. */
export async function copyPermissions(from: PinnedPath, to: PinnedPath): Promise<void> {
  await using handle = await to.open(constants.O_RDONLY);
  await handle.chmod(from.stats.mode & 0o777);
}
