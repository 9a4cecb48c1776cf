import path from 'node:path';
import { errorCode, PathError } from '../path/path-error.ts';
import type { Opener } from '../opener/pinned-path.ts';
import type { AllowedDirectory } from './allowed-directory.ts';

/** The usable directories of a list of paths, and the problems of the others. */
export interface FoundDirectories {
  readonly directories: readonly AllowedDirectory[];
  /** A line for each path that cannot be used. */
  readonly problems: readonly string[];
}

/**
 * Resolves the paths of the allowed directories (or single regular files). Keeps each directory
 * once, by its first spelling and with the other spellings as aliases.
 */
export async function findAllowedDirectories(
  paths: readonly string[],
  opener: Opener,
): Promise<FoundDirectories> {
  const directories: AllowedDirectory[] = [];
  const problems: string[] = [];
  for (const given of paths) {
    const absolute = path.resolve(given);
    const found = given === '' ? 'the path is empty' : await find(absolute, opener);
    if (typeof found === 'string') problems.push(`${given}: ${found}`);
    else {
      const index = directories.findIndex((known) => isSame(known, found));
      const known = directories[index];
      if (known === undefined) directories.push(found);
      else if (known.path !== found.path)
        directories[index] = { ...known, aliases: [...(known.aliases ?? []), found.path] };
    }
  }
  return { directories, problems };
}

function isSame(left: AllowedDirectory, right: AllowedDirectory): boolean {
  return (
    left.realPath === right.realPath ||
    (left.identity !== undefined && left.identity === right.identity)
  );
}

async function find(absolute: string, opener: Opener): Promise<AllowedDirectory | string> {
  try {
    await using pinned = await opener.pin(absolute);
    if (!pinned.stats.isDirectory() && !pinned.stats.isFile())
      return 'is neither a directory nor a regular file';
    return {
      path: absolute,
      realPath: pinned.realPath,
      ...(pinned.identity === undefined ? {} : { identity: pinned.identity }),
    };
  } catch (error) {
    const code = errorCode(error);
    if (error instanceof PathError) return error.message;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'no such directory';
    return `cannot be opened (${code ?? (error instanceof Error ? error.message : String(error))})`;
  }
}
