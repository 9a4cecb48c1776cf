import { PathError } from '../path/path-error.ts';
import type { PinnedPath } from '../opener/pinned-path.ts';
import { placePath, type Place } from '../entries/entry-changes.ts';
import type { PlaceOptions, Sandbox } from '../sandbox/sandbox.ts';

/** The target of a write: an existing file (links inside the sandbox followed), or a free name. */
export type FileTarget =
  | { readonly file: PinnedPath }
  | { readonly file: undefined; readonly place: Place };

/** Settings of the lookup of a target. */
export interface FileTargetOptions {
  /** Default: a missing file is an error. */
  readonly create?: PlaceOptions | undefined;
  readonly signal: AbortSignal;
}

/** Reports that another program changed the target; the target is then looked up again. */
export class TargetChangedError extends Error {}

/**
 * Runs `body` while no other call of a server on this machine writes the same file. The lock is the
 * real path, because a replacement changes the inode; a file with several hard links is also locked
 * by inode.
 * @throws PathError, and what `body` throws
 */
export async function withFileTarget<T>(
  sandbox: Sandbox,
  path: string,
  options: FileTargetOptions & { readonly body: (target: FileTarget) => Promise<T> },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const keys = await lockKeys(sandbox, path, options);
    try {
      return await sandbox.locks.run(keys, options.signal, async () => {
        const target = await findTarget(sandbox, path, options);
        try {
          if (!isDeepEqual(keysOf(target), keys)) throw new TargetChangedError();
          return await options.body(target);
        } finally {
          await close(target);
        }
      });
    } catch (error) {
      if (!(error instanceof TargetChangedError)) throw error;
      if (attempt === maxAttempts)
        throw new PathError(
          'io',
          `${path} is replaced again and again by another program; nothing was written. Try again.`,
          { cause: error },
        );
    }
  }
}

const maxAttempts = 20;

async function lockKeys(
  sandbox: Sandbox,
  path: string,
  options: FileTargetOptions,
): Promise<readonly string[]> {
  const target = await findTarget(sandbox, path, options);
  await close(target);
  return keysOf(target);
}

function close(target: FileTarget): Promise<void> {
  return (target.file ?? target.place.directory).close();
}

function keysOf({ file, ...target }: FileTarget): readonly string[] {
  if (file === undefined) return 'place' in target ? [placePath(target.place)] : [];
  return file.stats.nlink > 1 && file.identity !== undefined
    ? [file.realPath, file.identity]
    : [file.realPath];
}

function isDeepEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((key, index) => key === right[index]);
}

async function findTarget(
  sandbox: Sandbox,
  path: string,
  { create }: FileTargetOptions,
): Promise<FileTarget> {
  try {
    return { file: await sandbox.pin(path) };
  } catch (error) {
    if (create === undefined || !(error instanceof PathError) || error.reason !== 'not-found')
      throw error;
  }
  return { file: undefined, place: await sandbox.place(path, create) };
}
