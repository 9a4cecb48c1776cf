import type { Stats } from 'node:fs';
import path from 'node:path';
import type { AllowedDirectory } from './allowed-directory.ts';
import { entryStats, makeDirectory, placePath, type Place } from '../entries/entry-changes.ts';
import type { FileLocks } from '../lock/file-locks.ts';
import { isInside } from '../path/is-inside.ts';
import {
  deniedError,
  errorCode,
  outsideError,
  PathError,
  toPathError,
} from '../path/path-error.ts';
import { PathLookup, spellingOf, type NearestDirectory } from './path-lookup.ts';
import { Permissions } from './permissions.ts';
import type { PinnedPath, PinOptions } from '../opener/pinned-path.ts';
import type { SandboxBase } from './sandbox-base.ts';

/** Origin of the allowed directories: the command line, or the roots of a client. */
export type SandboxSource = 'cli' | 'roots';

/** An existing entry of a verified directory; a symbolic link itself, not its target. The caller closes `directory`. */
export interface ExistingEntry extends Place {
  readonly stats: Stats;
}

/** Settings for the place of a new file. */
export interface PlaceOptions {
  /** Makes missing directories, each inside the verified one above it. */
  readonly createParents: boolean;
  /** Sentence with advice in the error for a missing parent; default none. */
  readonly parentAdvice?: string | undefined;
}

/**
 * The files that one connection may use. Immutable. Every path that it returns was verified on the opened file, not on the text of the
 * path.
 */
export class Sandbox {
  readonly directories: readonly AllowedDirectory[];
  readonly source: SandboxSource;
  readonly #base: SandboxBase;
  readonly #permissions: Permissions;
  readonly #lookup: PathLookup;
  readonly #revocation = new AbortController();

  constructor(directories: readonly AllowedDirectory[], source: SandboxSource, base: SandboxBase) {
    this.directories = directories;
    this.source = source;
    this.#base = base;
    this.#permissions = new Permissions(directories, base);
    this.#lookup = new PathLookup({
      directories,
      opener: base.opener,
      permissions: this.#permissions,
    });
  }

  /** The locks that all sandboxes of one server share. */
  get locks(): FileLocks {
    return this.#base.locks;
  }

  /** Aborts when the client changes its roots, so that this sandbox no longer applies. */
  get revoked(): AbortSignal {
    return this.#revocation.signal;
  }

  /** Aborts the calls that use this sandbox. */
  revoke(): void {
    this.#revocation.abort(
      new PathError(
        'outside',
        'The client has changed its roots while the call was running; it was stopped.',
      ),
    );
  }

  /** The directories that were already searched for leftovers of ended servers; shared by the sandboxes of one server. */
  get sweptDirectories(): Set<string> {
    return this.#base.sweptDirectories;
  }

  /** Whether the operator denied any path. */
  get hasDenied(): boolean {
    return this.#base.hasDenied;
  }

  /** Whether a real path is, or lies below, a path that the operator denied. Listings and searches leave such entries out. */
  isDenied(realPath: string): boolean {
    return this.#permissions.isDenied(realPath);
  }

  /** Whether a real path is, or lies below, an allowed directory. */
  allows(realPath: string): boolean {
    return this.#permissions.allows(realPath);
  }

  /**
   * Returns the absolute path that an argument names. Checks its text only and looks nothing up.
   * @throws PathError
   */
  resolve(input: string): string {
    return this.#lookup.resolve(input);
  }

  /**
   * Finds an existing file or directory and verifies its real path. Also finds a name that is stored in another Unicode normalization. The
   * caller closes the result.
   * @throws PathError
   */
  pin(input: string, options: PinOptions = {}): Promise<PinnedPath> {
    return this.#lookup.pin(input, options);
  }

  /**
   * Finds a real path again, for example during a walk through a tree. Rejects when the path now leads elsewhere.
   * @throws PathError
   */
  async pinExactly(realPath: string): Promise<PinnedPath> {
    const pinned = await this.pin(realPath, { followLast: false });
    if (pinned.realPath === realPath) return pinned;
    await pinned.close();
    throw outsideError(realPath);
  }

  /**
   * Does the same as `pinExactly` on the calling thread. Returns `undefined` where the platform cannot.
   * @throws PathError, and the system error
   */
  pinExactlyNow(realPath: string): PinnedPath | undefined {
    const pinned = this.#base.opener.pinNow?.(this.resolve(realPath), { followLast: false });
    if (
      pinned === undefined ||
      (pinned.realPath === realPath && this.allows(realPath) && !this.isDenied(realPath))
    )
      return pinned;
    void pinned.close();
    throw outsideError(realPath);
  }

  /**
   * Pins an entry of a verified directory and verifies it too.
   * @throws PathError `outside` when it is a symbolic link or was moved out, and the system error
   */
  pinEntry(place: Place): Promise<PinnedPath> {
    return this.#lookup.pinEntry(place);
  }

  /**
   * Returns the verified directory and the name of an existing entry, so that the entry itself can be moved or removed.
   * @throws PathError, `refused` for an allowed directory and for a directory that contains one
   */
  async entry(input: string): Promise<ExistingEntry> {
    const resolved = this.resolve(input);
    if (this.#permissions.holdsAllowedDirectory(resolved)) throw allowedDirectoryError(input);
    const directory = await this.pin(path.dirname(resolved));
    try {
      const wanted = { directory, name: path.basename(resolved) };
      const place = { ...wanted, name: (await spellingOf(wanted)) ?? wanted.name };
      const stats = await entryStats(place);
      if (stats === undefined)
        throw new PathError('not-found', `${input}: no such file or directory`);
      if (this.isDenied(placePath(place))) throw deniedError(input);
      if (this.#permissions.holdsAllowedDirectory(placePath(place)))
        throw allowedDirectoryError(input);
      return { ...place, stats };
    } catch (error) {
      await directory.close();
      throw toPathError(error, input);
    }
  }

  /**
   * Returns the verified directory in which a missing path would be created.
   * @throws PathError
   */
  async place(input: string, options: PlaceOptions): Promise<Place> {
    const resolved = this.resolve(input);
    const name = path.basename(resolved);
    refuseBackslash([name], input);
    const parent = path.dirname(resolved);
    const directory = options.createParents
      ? (await this.makeDirectories(parent, input)).directory
      : await this.#existingParent(parent, {
          input,
          advice: options.parentAdvice,
        });
    try {
      if (!directory.stats.isDirectory())
        throw new PathError('not-found', `${input}: its parent is not a directory.`);
      if (this.isDenied(path.join(directory.realPath, name))) throw deniedError(input);
      if ((await entryStats({ directory, name }))?.isSymbolicLink()) throw outsideError(input);
      return { directory, name };
    } catch (error) {
      await directory.close();
      throw toPathError(error, input);
    }
  }

  /**
   * Makes the missing directories of a path, each inside the verified one above it. The existing part may be a file. The caller closes
   * `directory`.
   * @throws PathError that names `input`
   */
  async makeDirectories(
    directoryPath: string,
    input: string = directoryPath,
  ): Promise<{ readonly directory: PinnedPath; readonly created: number }> {
    const { directory, missing } = await this.nearest(directoryPath);
    let current = directory;
    for (const name of missing) {
      const above = current;
      try {
        refuseBackslash(missing, input);
        await makeDirectory({ directory: above, name }).catch(ignoreExisting);
        current = await this.pinEntry({ directory: above, name });
      } catch (error) {
        throw toPathError(error, input);
      } finally {
        await above.close();
      }
    }
    return { directory: current, created: missing.length };
  }

  /**
   * Finds the nearest existing directory at or above a path. The caller closes it.
   * @throws PathError
   */
  nearest(input: string): Promise<NearestDirectory> {
    return this.#lookup.nearest(input);
  }

  /** Returns the shortest spelling of a real path that other calls accept: relative to the first allowed directory when below it, else absolute. */
  spell(realPath: string): string {
    const [first] = this.directories;
    if (first === undefined || !isInside(realPath, first.realPath)) return realPath;
    const relative = path.relative(first.realPath, realPath) || '.';
    return /^(?:~|file:)/.test(relative) ? realPath : relative;
  }

  async #existingParent(
    parent: string,
    { input, advice }: { readonly input: string; readonly advice: string | undefined },
  ): Promise<PinnedPath> {
    try {
      return await this.pin(parent);
    } catch (error) {
      if (!(error instanceof PathError) || error.reason !== 'not-found') throw error;
      const problem = `${input}: its parent directory does not exist.`;
      throw new PathError('not-found', advice === undefined ? problem : `${problem} ${advice}`, {
        cause: error,
      });
    }
  }
}

/** On POSIX a name may contain a backslash, but a new name with one is most likely a Windows path. */
function refuseBackslash(names: readonly string[], input: string): void {
  if (path.sep === '\\' || !names.some((name) => name.includes('\\'))) return;
  throw new PathError(
    'refused',
    `${input}: new names may not contain a backslash. Use / between directories.`,
  );
}

function allowedDirectoryError(input: string): PathError {
  return new PathError(
    'refused',
    `${input} is an allowed directory or contains one, and cannot be moved or removed.`,
  );
}

function ignoreExisting(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') throw error;
}
