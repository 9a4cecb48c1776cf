import path from 'node:path';
import { isInside } from './is-inside.ts';
import type { SandboxBase } from './sandbox-base.ts';

/** A directory (or single file) everything at or below which is allowed. */
export interface AllowedDirectory {
  /** Absolute, as it was configured. */
  readonly path: string;
  /** Without symbolic links; what is compared. */
  readonly realPath: string;
  /** Other absolute paths that lead to the same directory. */
  readonly aliases?: readonly string[];
  /** Device and inode, where known: the same directory under another spelling. */
  readonly identity?: string;
}

/** Which paths are allowed, judged by their text alone. */
export class Permissions {
  readonly #directories: readonly AllowedDirectory[];
  readonly #base: SandboxBase;

  constructor(directories: readonly AllowedDirectory[], base: SandboxBase) {
    this.#directories = directories;
    this.#base = base;
  }

  /** Whether a real path is, or lies below, an allowed directory. */
  allows(realPath: string): boolean {
    return this.#directories.some((directory) => isInside(realPath, directory.realPath));
  }

  /** Whether a real path is, or lies below, one that the operator denied. */
  isDenied(realPath: string): boolean {
    return (
      this.#base.hasDenied &&
      this.#all().some(
        (directory) =>
          isInside(realPath, directory.realPath) &&
          this.#base.isDenied(path.relative(directory.realPath, realPath)),
      )
    );
  }

  /** Like `allows` for a path whose links are not resolved. */
  allowsText(resolved: string): boolean {
    return this.directoryOf(resolved) !== undefined;
  }

  /** Like `isDenied` for a path whose links are not resolved. */
  deniesText(resolved: string): boolean {
    if (!this.#base.hasDenied) return false;
    return this.#all()
      .flatMap(spellingsOf)
      .some(
        (directory) =>
          isInside(resolved, directory) && this.#base.isDenied(path.relative(directory, resolved)),
      );
  }

  /** The path below the allowed directory as that is spelled, when only the Unicode normalization differs; else the path as it is. */
  respell(resolved: string): string {
    if (this.allowsText(resolved)) return resolved;
    const normalized = resolved.normalize('NFC');
    const found = this.#directories.find((directory) =>
      isInside(normalized, directory.path.normalize('NFC')),
    );
    return found === undefined
      ? resolved
      : path.join(found.path, path.relative(found.path.normalize('NFC'), normalized));
  }

  /** The allowed directory an unresolved path lies in by its text. */
  directoryOf(resolved: string): AllowedDirectory | undefined {
    return this.#directories.find((directory) =>
      spellingsOf(directory).some((spelling) => isInside(resolved, spelling)),
    );
  }

  /** Whether an allowed directory is at or below a path, so that the path must stay where it is. */
  holdsAllowedDirectory(realPath: string): boolean {
    return this.#all().some((directory) =>
      spellingsOf(directory).some((spelling) => isInside(spelling, realPath)),
    );
  }

  /** Also those of the command line when a client's roots are the allowed ones: what is denied there stays denied. */
  #all(): readonly AllowedDirectory[] {
    return [...this.#directories, ...this.#base.directories];
  }
}

function spellingsOf({
  path: configured,
  realPath,
  aliases = [],
}: AllowedDirectory): readonly string[] {
  return [configured, realPath, ...aliases];
}
