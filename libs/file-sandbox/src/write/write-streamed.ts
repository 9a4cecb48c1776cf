import { access, type FileHandle } from 'node:fs/promises';
import { constants } from 'node:fs';
import path from 'node:path';
import { PathError } from '../path/path-error.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { withFileTarget, type FileTarget } from './file-target.ts';
import { replaceFile } from './replace-file.ts';
import { requireRegularFile } from './require-regular-file.ts';
import { sweepAround } from './sweep-leftovers.ts';

/** Settings of a streamed write. */
export interface StreamedWriteOptions {
  /** Whether an existing file is replaced; otherwise it is an error. */
  readonly overwrite: boolean;
  /** Sentence with advice in the error for an existing file; default none. */
  readonly existsAdvice?: string | undefined;
  /** Aborts the write; before the last step this leaves the target unchanged. */
  readonly signal: AbortSignal;
}

/** Result of a streamed write. */
export interface StreamedFile {
  readonly realPath: string;
  readonly created: boolean;
}

/**
 * Creates or replaces a file with the content that `write` writes to a handle, in constant memory. `write`
 * runs at most once. Readers of the path see the old content, or none, until everything is written and
 * synchronized. Refuses to replace a file with several hard links.
 * @throws PathError, and what `write` throws; then the target is as it was
 */
export async function writeStreamed(
  sandbox: Sandbox,
  target: {
    readonly path: string;
    readonly write: (handle: FileHandle) => Promise<void>;
  },
  { overwrite, existsAdvice, signal }: StreamedWriteOptions,
): Promise<StreamedFile> {
  let hasStarted = false;
  return withFileTarget(sandbox, target.path, {
    create: { createParents: false },
    signal,
    body: async (found) => {
      if (hasStarted) throw changedError(target.path);
      if (found.file !== undefined)
        await requireReplaceable(sandbox, found, { overwrite, existsAdvice, path: target.path });
      hasStarted = true;
      const content = target.write;
      if (found.file === undefined) {
        const { place } = found;
        sweepAround(sandbox, place.directory.realPath);
        await replaceFile(
          { place, content, previous: undefined, beforeRename: async () => {} },
          signal,
        );
        return { realPath: path.join(place.directory.realPath, place.name), created: true };
      }
      const { realPath, stats } = found.file;
      await using directory = await sandbox.pinExactly(path.dirname(realPath));
      const place = { directory, name: path.basename(realPath) };
      sweepAround(sandbox, directory.realPath);
      await replaceFile({ place, content, previous: stats, beforeRename: async () => {} }, signal);
      return { realPath, created: false };
    },
  });
}

async function requireReplaceable(
  sandbox: Sandbox,
  { file }: Extract<FileTarget, { readonly file: object }>,
  {
    overwrite,
    existsAdvice,
    path: given,
  }: {
    readonly overwrite: boolean;
    readonly existsAdvice: string | undefined;
    readonly path: string;
  },
): Promise<void> {
  requireRegularFile(file);
  if (!overwrite) {
    const problem = `${given} already exists; nothing was written.`;
    throw new PathError(
      'refused',
      existsAdvice === undefined ? problem : `${problem} ${existsAdvice}`,
    );
  }
  if (
    file.stats.nlink > 1 ||
    sandbox.directories.some(({ realPath }) => realPath === file.realPath)
  )
    throw new PathError(
      'refused',
      `${given} has several hard links or is itself an allowed path, so that it cannot be replaced; nothing was written. Choose another name.`,
    );
  await access(file.address, constants.W_OK);
}

function changedError(given: string): PathError {
  return new PathError(
    'refused',
    `${given} was created or replaced by another program meanwhile; nothing was written. Try again.`,
  );
}
