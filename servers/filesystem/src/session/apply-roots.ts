import { fileURLToPath } from 'node:url';
import {
  type AllowedDirectory,
  findAllowedDirectories,
  isInside,
  type Opener,
  type SandboxSource,
} from '@signalbox/file-sandbox';
import type { Root } from '@signalbox/mcp-core';

export interface RootsDecision {
  readonly directories: readonly AllowedDirectory[];
  readonly source: SandboxSource;
  /** Warning for the operator, one line. */
  readonly warning: string | undefined;
}

export interface RootsInput {
  /** Directories of the command line; may be empty. */
  readonly cli: readonly AllowedDirectory[];
  /** Roots of the client; `undefined` without the roots capability. */
  readonly roots: readonly Root[] | undefined;
  /** Whether earlier roots of the same session took effect. */
  readonly hadRoots: boolean;
  /**
   * `narrow`: uses roots inside the directories of the command line only. `replace`: uses every
   * root.
   */
  readonly mode: 'narrow' | 'replace';
}

/**
 * Determines the allowed directories of a session. Without directories on the command line these
 * are the roots. Otherwise roots narrow the directories, or replace them if so configured. A client
 * without a usable root gets the directories of the command line, but a client that loses all its
 * effective roots gets none.
 */
export async function applyRoots(input: RootsInput, opener: Opener): Promise<RootsDecision> {
  const { cli, roots, hadRoots, mode } = input;
  if (roots === undefined)
    return { directories: cli, source: cli.length === 0 ? 'roots' : 'cli', warning: undefined };
  const { directories: found, problems } = await findRoots(roots, opener);
  if (cli.length === 0) return { directories: found, source: 'roots', warning: join(problems) };
  const counting =
    mode === 'replace'
      ? found
      : found.filter((root) =>
          cli.some((directory) => isInside(root.realPath, directory.realPath)),
        );
  const outside = found
    .filter((root) => !counting.includes(root))
    .map((root) => `${root.path}: outside the allowed directories`);
  const warning = join([...problems, ...outside]);
  if (counting.length > 0) return { directories: counting, source: 'roots', warning };
  if (hadRoots)
    return {
      directories: [],
      source: 'roots',
      warning: warning ?? 'the client has no roots left; nothing is allowed',
    };
  return {
    directories: cli,
    source: 'cli',
    warning:
      warning ?? 'the client announced no roots; the directories of the command line are used',
  };
}

async function findRoots(
  roots: readonly Root[],
  opener: Opener,
): ReturnType<typeof findAllowedDirectories> {
  const paths: string[] = [];
  const unusable: string[] = [];
  for (const root of roots) {
    try {
      paths.push(fileURLToPath(root.uri));
    } catch {
      unusable.push(`${root.uri}: not a file URL of this machine`);
    }
  }
  const { directories, problems } = await findAllowedDirectories(paths, opener);
  return { directories, problems: [...unusable, ...problems] };
}

function join(problems: readonly string[]): string | undefined {
  return problems.length === 0 ? undefined : `ignored roots of the client: ${problems.join('; ')}`;
}
