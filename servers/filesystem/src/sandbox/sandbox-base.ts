import { createDenyList, type DenyList } from './deny-list.ts';
import { LeftoverSweeper } from '../files/sweep-leftovers.ts';
import { FileLocks } from './file-locks.ts';
import type { AllowedDirectory } from './permissions.ts';
import type { Opener } from './pinned-path.ts';

/** What every sandbox of one server shares; only sandboxes with the same base keep out of each other's way while they change a file. */
export interface SandboxBase {
  readonly opener: Opener;
  /** From the command line. What is denied below them stays denied when a client's roots are the allowed directories. */
  readonly directories: readonly AllowedDirectory[];
  readonly isDenied: DenyList;
  /** Whether `isDenied` ever says yes. */
  readonly hasDenied: boolean;
  readonly locks: FileLocks;
  readonly sweeper: LeftoverSweeper;
}

export interface SandboxBaseOptions {
  /** Globs of what stays hidden and untouched inside the allowed directories; default none. */
  readonly deny?: readonly string[];
  /** Of the command line; default none. */
  readonly directories?: readonly AllowedDirectory[];
  /** Default: those that all servers on this machine share. */
  readonly locks?: FileLocks;
}

/** @throws PathError `invalid` for a glob that cannot be used */
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
    sweeper: new LeftoverSweeper(),
  };
}
