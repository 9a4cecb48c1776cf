import path from 'node:path';
import type { AllowedDirectory } from './allowed-directory.ts';
import { isInside } from '../path/is-inside.ts';
import type { SandboxBase } from './sandbox-base.ts';

/** Decides by the text of a path whether it is allowed. */
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

  /** Whether a real path is, or lies below, a path that the operator denied. */
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

  /** Whether a path with unresolved links is allowed by its text. */
  allowsText(resolved: string): boolean {
    return this.directoryOf(resolved) !== undefined;
  }

  /** Whether a path with unresolved links is denied by its text. */
  deniesText(resolved: string): boolean {
    if (!this.#base.hasDenied) return false;
    return this.#all()
      .flatMap(spellingsOf)
      .some(
        (directory) =>
          isInside(resolved, directory) && this.#base.isDenied(path.relative(directory, resolved)),
      );
  }

  /** Returns the path in the spelling of its allowed directory when only the Unicode normalization differs, else unchanged. */
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

  /** Returns the allowed directory that contains a path by its text. */
  directoryOf(resolved: string): AllowedDirectory | undefined {
    return this.#directories.find((directory) =>
      spellingsOf(directory).some((spelling) => isInside(resolved, spelling)),
    );
  }

  /** Whether an allowed directory is at or below a path, so that the path must not be moved or removed. */
  holdsAllowedDirectory(realPath: string): boolean {
    return this.#all().some((directory) =>
      spellingsOf(directory).some((spelling) => isInside(spelling, realPath)),
    );
  }

  /** Includes the directories of the command line when a client's roots replace them: paths denied there stay denied. */
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
