import { lstat, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { FileLocks } from './file-locks.ts';
import { isInside } from './is-inside.ts';
import { parsePath } from './parse-path.ts';
import { errorCode, outsideError, PathError, toPathError } from './path-error.ts';
import type { PinnedPath, PinOptions } from './pinned-path.ts';
import type { SandboxBase } from './sandbox-base.ts';

/** A directory (or single file) everything at or below which is allowed. */
export interface AllowedDirectory {
  /** Absolute, as it was configured. */
  readonly path: string;
  /** Without symbolic links; what is compared. */
  readonly realPath: string;
}

export type SandboxSource = 'cli' | 'roots';

/** Where a file is or will be: its verified directory and its name in it. The caller closes `directory`. */
export interface Place {
  readonly directory: PinnedPath;
  readonly name: string;
}

/** What one peer may touch. Immutable; every path it hands out was verified on the opened file, not on the text of the path. */
export class Sandbox {
  readonly directories: readonly AllowedDirectory[];
  readonly source: SandboxSource;
  readonly #base: SandboxBase;

  constructor(directories: readonly AllowedDirectory[], source: SandboxSource, base: SandboxBase) {
    this.directories = directories;
    this.source = source;
    this.#base = base;
  }

  /** Shared by the sandboxes of one server. */
  get locks(): FileLocks {
    return this.#base.locks;
  }

  /** Whether a real path inside is one of those the operator denied, or lies below one. Listings and walks leave such entries out. */
  isDenied(realPath: string): boolean {
    return [...this.directories, ...this.#base.directories].some(
      (directory) => isInside(realPath, directory.realPath) && this.#base.isDenied(path.relative(directory.realPath, realPath)),
    );
  }

  /**
   * The absolute path an argument names, allowed as far as its text goes: nothing is looked up.
   * @throws PathError
   */
  resolve(input: string): string {
    const [first] = this.directories;
    if (first === undefined) {
      throw new PathError('outside', 'No directory is allowed. Start the server with a directory argument, or let the client announce a root.');
    }
    const resolved = parsePath(input, first.path);
    // Elsewhere a case-insensitive or aliased spelling may be fine, and the verified path decides alone.
    if (this.#base.opener.kind === 'kernel-handle' && !this.#isAllowedText(resolved)) throw outsideError(input);
    if (this.#isDeniedText(resolved)) throw deniedError(input);
    return resolved;
  }

  /**
   * Finds an existing file or directory and verifies where it really is. The caller closes it.
   * @throws PathError
   */
  async pin(input: string, options?: PinOptions): Promise<PinnedPath> {
    const resolved = this.resolve(input);
    let pinned: PinnedPath;
    try {
      pinned = await this.#base.opener.pin(resolved, options);
    } catch (error) {
      throw await this.#explain(resolved, input, error);
    }
    return this.#verified(pinned, input);
  }

  /**
   * Finds a real path again, as while walking a tree: an error when it leads anywhere else than to itself.
   * @throws PathError
   */
  async pinExactly(realPath: string): Promise<PinnedPath> {
    const pinned = await this.pin(realPath, { followLast: false });
    if (pinned.realPath === realPath) return pinned;
    await pinned.close();
    throw outsideError(realPath);
  }

  /**
   * The verified directory in which a path that does not exist yet would be created. `createParents` makes missing directories, each inside
   * the verified one above it.
   * @throws PathError
   */
  async place(input: string, options: { readonly createParents: boolean }): Promise<Place> {
    const resolved = this.resolve(input);
    const name = path.basename(resolved);
    refuseBackslash([name], input);
    const parent = path.dirname(resolved);
    const directory = options.createParents ? await this.#makeDirectories(parent, input) : await this.#existingParent(parent, input);
    try {
      if (!directory.stats.isDirectory()) throw new PathError('not-found', `${input}: its parent is not a directory.`);
      if (this.isDenied(path.join(directory.realPath, name))) throw deniedError(input);
      if (await isSymbolicLink(directory, name)) throw outsideError(input);
      return { directory, name };
    } catch (error) {
      await directory.close();
      throw toPathError(error, input);
    }
  }

  /** The nearest existing verified directory at or above a path, with the names that are missing below it. The caller closes it. */
  async nearest(input: string): Promise<{ readonly directory: PinnedPath; readonly missing: readonly string[] }> {
    const resolved = this.resolve(input);
    const missing: string[] = [];
    for (let current = resolved; ; current = path.dirname(current)) {
      const pinned = await this.#base.opener.pin(current).catch(async (error: unknown) => {
        if (isMissing(error) && path.dirname(current) !== current) return undefined;
        throw await this.#explain(current, input, error);
      });
      if (pinned === undefined) {
        missing.unshift(path.basename(current));
        continue;
      }
      const directory = await this.#verified(pinned, input);
      const [next] = missing;
      const isDenied = this.isDenied(path.join(directory.realPath, ...missing));
      if (!isDenied && (next === undefined || !(await isSymbolicLink(directory, next)))) return { directory, missing };
      await directory.close();
      throw isDenied ? deniedError(input) : outsideError(input);
    }
  }

  /** Spells a real path the way other calls accept it most briefly: relative to the first allowed directory when below it, else absolute. */
  spell(realPath: string): string {
    const [first] = this.directories;
    if (first === undefined || !isInside(realPath, first.realPath)) return realPath;
    const relative = path.relative(first.realPath, realPath) || '.';
    return /^(?:~|file:)/.test(relative) ? realPath : relative;
  }

  /** Whether a real path is, or lies below, an allowed directory. */
  allows(realPath: string): boolean {
    return this.directories.some((directory) => isInside(realPath, directory.realPath));
  }

  #isAllowedText(resolved: string): boolean {
    return this.directories.some((directory) => isInside(resolved, directory.path) || isInside(resolved, directory.realPath));
  }

  #isDeniedText(resolved: string): boolean {
    return [...this.directories, ...this.#base.directories]
      .flatMap((directory) => [directory.path, directory.realPath])
      .some((directory) => isInside(resolved, directory) && this.#base.isDenied(path.relative(directory, resolved)));
  }

  async #verified(pinned: PinnedPath, input: string): Promise<PinnedPath> {
    const isAllowed = this.allows(pinned.realPath);
    if (isAllowed && !this.isDenied(pinned.realPath)) return pinned;
    await pinned.close();
    throw isAllowed ? deniedError(input) : outsideError(input);
  }

  async #existingParent(parent: string, input: string): Promise<PinnedPath> {
    try {
      return await this.pin(parent);
    } catch (error) {
      if (!(error instanceof PathError) || error.reason !== 'not-found') throw error;
      throw new PathError('not-found', `${input}: its parent directory does not exist. Set createParents to true to create it.`, { cause: error });
    }
  }

  async #makeDirectories(parent: string, input: string): Promise<PinnedPath> {
    const { directory, missing } = await this.nearest(parent);
    let current = directory;
    for (const name of missing) {
      const above = current;
      try {
        refuseBackslash(missing, input);
        await mkdir(path.join(above.address, name)).catch(ignoreExisting);
        current = await this.#verified(await this.#base.opener.pin(path.join(above.address, name), { followLast: false }), input);
      } catch (error) {
        throw toPathError(error, input);
      } finally {
        await above.close();
      }
    }
    return current;
  }

  /** A failure below a link that leads outside must look like a denial, or the error would tell what exists there. */
  async #explain(resolved: string, input: string, error: unknown): Promise<unknown> {
    if (!this.#isAllowedText(resolved)) return outsideError(input, error);
    for (let current = resolved; path.dirname(current) !== current; current = path.dirname(current)) {
      const parent = await this.#base.opener.pin(path.dirname(current)).catch(() => undefined);
      if (parent === undefined) continue;
      await using directory = parent;
      if (!this.allows(directory.realPath) && !this.#isAllowedDirectoryText(current)) return outsideError(input, error);
      if (this.isDenied(directory.realPath)) return deniedError(input);
      if (await isSymbolicLink(directory, path.basename(current))) return outsideError(input, error);
      break;
    }
    return toPathError(error, input);
  }

  /** The parent of an allowed directory is itself not allowed, but says nothing that the configuration did not. */
  #isAllowedDirectoryText(resolved: string): boolean {
    return this.directories.some((directory) => directory.path === resolved || directory.realPath === resolved);
  }
}

function deniedError(input: string): PathError {
  return new PathError('refused', `${input} is denied by the configuration of this server (--deny).`);
}

/** On POSIX a name may hold one, but a new one that does is a Windows path that lost its way. */
function refuseBackslash(names: readonly string[], input: string): void {
  if (path.sep === '\\' || !names.some((name) => name.includes('\\'))) return;
  throw new PathError('refused', `${input}: new names may not contain a backslash. Use / between directories.`);
}

async function isSymbolicLink(directory: PinnedPath, name: string): Promise<boolean> {
  try {
    return (await lstat(path.join(directory.address, name))).isSymbolicLink();
  } catch (error) {
    if (isMissing(error) || errorCode(error) === 'ENAMETOOLONG') return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function ignoreExisting(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') throw error;
}
