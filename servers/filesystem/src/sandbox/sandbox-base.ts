import type { AllowedDirectory } from './allowed-directory.ts';
import { createDenyList, type DenyList } from './deny-list.ts';
import { FileLocks } from './file-locks.ts';
import type { Opener } from './pinned-path.ts';

/** State that every sandbox of one server shares. Only sandboxes with the same base exclude each other while they change a file. */
export interface SandboxBase {
  readonly opener: Opener;
  /** Directories of the command line. Paths denied below them stay denied when a client's roots replace them. */
  readonly directories: readonly AllowedDirectory[];
  readonly isDenied: DenyList;
  /** Whether the operator denied any path. */
  readonly hasDenied: boolean;
  readonly locks: FileLocks;
  /** Directories that were already searched for leftovers of ended servers. */
  readonly sweptDirectories: Set<string>;
}

export interface SandboxBaseOptions {
  /** Globs of paths that stay hidden and unchanged inside the allowed directories; default none. */
  readonly deny?: readonly string[];
  /** Directories of the command line; default none. */
  readonly directories?: readonly AllowedDirectory[];
  /** Default: locks that all servers on this machine share. */
  readonly locks?: FileLocks;
}

/**
 * Creates the shared state of a server's sandboxes.
 * @throws PathError `invalid` for a glob that cannot be used
 */
export function createSandboxBase(
  opener: Opener,
  { deny = [], directories = [], locks = new FileLocks() }: SandboxBaseOptions = {},
): SandboxBase {
  return {
    opener,
    directories,
    isDenied: createDenyList(deny),
    hasDenied: deny.length > 0,
    locks,
    sweptDirectories: new Set(),
  };
}
