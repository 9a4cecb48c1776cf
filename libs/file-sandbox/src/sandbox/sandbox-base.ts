import type { AllowedDirectory } from './allowed-directory.ts';
import { FileLocks } from '../lock/file-locks.ts';
import type { Opener } from '../opener/pinned-path.ts';

/**
 * Whether a path relative to its allowed directory is denied. Everything below a denied directory
 * is denied; the allowed directory itself, `''`, never is.
 */
export type DenyList = (relativePath: string) => boolean;

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

/** Settings that the sandboxes of one server share. */
export interface SandboxBaseOptions {
  /** Paths that stay hidden and unchanged inside the allowed directories; default none. */
  readonly isDenied?: DenyList | undefined;
  /** Directories of the command line; default none. */
  readonly directories?: readonly AllowedDirectory[] | undefined;
  /** Default: locks that all servers on this machine share. */
  readonly locks?: FileLocks | undefined;
}

/** Creates the shared state of a server's sandboxes. */
export function createSandboxBase(
  opener: Opener,
  { isDenied, directories = [], locks = new FileLocks() }: SandboxBaseOptions = {},
): SandboxBase {
  return {
    opener,
    directories,
    isDenied: isDenied ?? (() => false),
    hasDenied: isDenied !== undefined,
    locks,
    sweptDirectories: new Set(),
  };
}
