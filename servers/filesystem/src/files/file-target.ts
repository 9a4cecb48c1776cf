import { PathError } from '../sandbox/path-error.ts';
import type { PinnedPath } from '../sandbox/pinned-path.ts';
import { placePath } from '../sandbox/entry-changes.ts';
import type { Place, Sandbox } from '../sandbox/sandbox.ts';

/** What a path to be written leads to: something that exists (links inside the sandbox followed), or a free name. */
export type FileTarget = { readonly file: PinnedPath } | { readonly file: undefined; readonly place: Place };

export interface FileTargetOptions {
  /** Default: a missing file is an error. */
  readonly create?: { readonly createParents: boolean };
  readonly signal: AbortSignal;
}

/**
 * Runs `body` while nobody else of this server writes the same file, by whatever name: a file with several hard links is locked as an inode,
 * every other by its real path, because replacing a file changes its inode.
 * @throws PathError, and what `body` throws
 */
export async function withFileTarget<T>(sandbox: Sandbox, path: string, options: FileTargetOptions & { readonly body: (target: FileTarget) => Promise<T> }): Promise<T> {
  for (;;) {
    const key = await lockKey(sandbox, path, options);
    const outcome = await sandbox.locks.run(key, options.signal, async () => {
      const target = await findTarget(sandbox, path, options);
      try {
        return keyOf(target) === key ? { value: await options.body(target) } : undefined;
      } finally {
        await close(target);
      }
    });
    if (outcome !== undefined) return outcome.value;
  }
}

async function lockKey(sandbox: Sandbox, path: string, options: FileTargetOptions): Promise<string> {
  const target = await findTarget(sandbox, path, options);
  await close(target);
  return keyOf(target);
}

function close(target: FileTarget): Promise<void> {
  return (target.file ?? target.place.directory).close();
}

function keyOf(target: FileTarget): string {
  if (target.file === undefined) return placePath(target.place);
  return (target.file.stats.nlink > 1 ? target.file.identity : undefined) ?? target.file.realPath;
}

async function findTarget(sandbox: Sandbox, path: string, { create }: FileTargetOptions): Promise<FileTarget> {
  try {
    return { file: await sandbox.pin(path) };
  } catch (error) {
    if (create === undefined || !(error instanceof PathError) || error.reason !== 'not-found') throw error;
  }
  return { file: undefined, place: await sandbox.place(path, create) };
}
