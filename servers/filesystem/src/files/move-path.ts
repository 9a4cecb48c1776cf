import { constants } from 'node:fs';
import path from 'node:path';
import {
  entryStats,
  errorCode,
  type ExistingEntry,
  isInside,
  moveEntry,
  PathError,
  type PinnedPath,
  type Place,
  placePath,
  removeFile,
  type Sandbox,
  sweepAround,
  temporaryName,
  toPathError,
} from '@signalbox/file-sandbox';
import { copyContent } from './copy-content.ts';
import { existsError, freePlace } from './free-place.ts';
import { summarizeTree } from './tree-summary.ts';

export interface MoveRequest {
  readonly source: string;
  readonly destination: string;
}

export interface MovedPath {
  /** Real path before the move. */
  readonly source: string;
  readonly destination: string;
}

/**
 * Renames a file, a directory, or a symbolic link that leads inside; never replaces anything. Moves
 * a file to another file system by a complete copy before it removes the original; does not move
 * directories there.
 * @throws PathError
 */
export async function movePath(
  sandbox: Sandbox,
  request: MoveRequest,
  signal: AbortSignal,
): Promise<MovedPath> {
  const entry = await sandbox.entry(request.source);
  await using from = entry.directory;
  const source = { ...entry, directory: from };
  await requireMovable(sandbox, source, { request, signal });
  const destination = await destinationOf(sandbox, source, request.destination);
  await using to = destination.directory;
  if (source.stats.isDirectory() && isInside(to.realPath, placePath(source))) {
    throw new PathError(
      'refused',
      `${request.destination} lies in ${request.source}; a directory cannot be moved into itself.`,
    );
  }
  await sandbox.locks.run([placePath(source), placePath(destination)], signal, async () => {
    signal.throwIfAborted();
    try {
      await moveEntry(source, destination).catch((error: unknown) =>
        moveAcross(sandbox, { source, destination, error, signal }),
      );
    } catch (error) {
      const code = errorCode(error);
      throw code === 'EEXIST' || code === 'ENOTEMPTY'
        ? existsError(request.destination, error)
        : toPathError(error, request.source);
    }
  });
  return { source: placePath(source), destination: placePath(destination) };
}

interface MoveCheck {
  readonly request: MoveRequest;
  readonly signal: AbortSignal;
}

async function requireMovable(
  sandbox: Sandbox,
  source: ExistingEntry,
  { request, signal }: MoveCheck,
): Promise<void> {
  if (source.stats.isSymbolicLink()) {
    // The target of the link must be inside, anywhere.
    const target = await sandbox.pin(request.source);
    await target.close();
  } else if (source.stats.isDirectory()) {
    if (!sandbox.hasDenied) return;
    await using directory = await sandbox.pinEntry(source);
    const { holdsDenied } = await summarizeTree(directory, {
      sandbox,
      signal,
      onEntries: () => {},
    });
    if (holdsDenied)
      throw new PathError(
        'refused',
        `${request.source} holds something that the configuration of this server denies (--deny); nothing was moved.`,
      );
  } else if (!source.stats.isFile()) {
    throw new PathError(
      'special-file',
      `${request.source} is a FIFO, socket or device; only files, directories and links are moved.`,
    );
  }
}

/** Returns a free place, or the place of the source itself in another spelling. */
async function destinationOf(
  sandbox: Sandbox,
  source: ExistingEntry,
  destination: string,
): Promise<Place> {
  const name = path.basename(sandbox.resolve(destination));
  if (name !== source.name && fold(name) === fold(source.name)) {
    const existing = await sandbox.entry(destination).catch(() => undefined);
    if (
      existing?.stats.ino === source.stats.ino &&
      existing.stats.dev === source.stats.dev &&
      source.stats.nlink === 1
    )
      return { directory: existing.directory, name };
    await existing?.directory.close();
  }
  return freePlace(sandbox, destination);
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

interface MoveAcross {
  readonly source: ExistingEntry;
  readonly destination: Place;
  /** Failure of the rename. */
  readonly error: unknown;
  readonly signal: AbortSignal;
}

async function moveAcross(
  sandbox: Sandbox,
  { source, destination, error, signal }: MoveAcross,
): Promise<void> {
  if (errorCode(error) !== 'EXDEV') throw error;
  if (!source.stats.isFile()) {
    const message = `${placePath(destination)} is on another file system than ${placePath(source)}. Copy the directory with copy_file, then remove it with delete_file.`;
    throw new PathError('refused', message, { cause: error });
  }
  await using file = await sandbox.pinEntry(source);
  const temporary = { directory: destination.directory, name: temporaryName() };
  sweepAround(sandbox, destination.directory.realPath);
  try {
    await copyContent(file, temporary, { signal, onBytes: () => {} });
    await using copy = await sandbox.pinEntry(temporary);
    await keepTimes(copy, file);
    const now = await entryStats(source);
    if (
      now?.ino !== file.stats.ino ||
      now.size !== copy.stats.size ||
      now.mtimeMs !== file.stats.mtimeMs
    )
      throw new PathError(
        'refused',
        `${placePath(source)} changed while it was moved; it stays where it is.`,
      );
    await moveEntry({ ...temporary, stats: copy.stats }, destination);
  } catch (failure) {
    await removeFile(temporary).catch(() => undefined);
    throw failure;
  }
  await removeFile(source);
}

async function keepTimes(copy: PinnedPath, original: PinnedPath): Promise<void> {
  await using handle = await copy.open(constants.O_WRONLY);
  await handle.utimes(original.stats.atime, original.stats.mtime);
}
