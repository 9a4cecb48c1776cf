import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { identityOf } from './checked-path.ts';
import { entryStats, makeDirectory, placePath, type Place } from './entry-changes.ts';
import { canBeSpelledOtherwise, findEquivalentName } from './equivalent-name.ts';
import type { FileLocks } from './file-locks.ts';
import { isInside } from './is-inside.ts';
import { parsePath } from './parse-path.ts';
import { deniedError, errorCode, outsideError, PathError, toPathError } from './path-error.ts';
import { Permissions, type AllowedDirectory } from './permissions.ts';
import type { PinnedPath, PinOptions } from './pinned-path.ts';
import type { SandboxBase } from './sandbox-base.ts';

export type { AllowedDirectory } from './permissions.ts';
export type { Place } from './entry-changes.ts';

export type SandboxSource = 'cli' | 'roots';

/** An existing entry of a verified directory; a symbolic link itself, not what it leads to. The caller closes `directory`. */
export interface ExistingEntry extends Place {
  readonly stats: Stats;
}

export interface PlaceOptions {
  /** Makes missing directories, each inside the verified one above it. */
  readonly createParents: boolean;
  /** Tells in the error of a missing parent what to do; default: to create it with create_directory. */
  readonly parentAdvice?: string;
}

const createDirectoryAdvice = 'Create it with create_directory first.';

/** What one peer may touch. Immutable; every path it hands out was verified on the opened file, not on the text of the path. */
export class Sandbox {
  readonly directories: readonly AllowedDirectory[];
  readonly source: SandboxSource;
  readonly #base: SandboxBase;
  readonly #permissions: Permissions;
  readonly #revocation = new AbortController();

  constructor(directories: readonly AllowedDirectory[], source: SandboxSource, base: SandboxBase) {
    this.directories = directories;
    this.source = source;
    this.#base = base;
    this.#permissions = new Permissions(directories, base);
  }

  /** Shared by the sandboxes of one server. */
  get locks(): FileLocks {
    return this.#base.locks;
  }

  /** Aborts when the client takes back what this sandbox allows. */
  get revoked(): AbortSignal {
    return this.#revocation.signal;
  }

  /** Stops the calls that run in this sandbox. */
  revoke(): void {
    this.#revocation.abort(
      new PathError(
        'outside',
        'The client has changed its roots while the call was running; it was stopped. Call list_allowed_directories to see what is allowed.',
      ),
    );
  }

  /** Removes, in the background, what ended servers left in a directory that is written to. */
  sweepAround(realPath: string): void {
    this.#base.sweeper.sweepAround(this, realPath);
  }

  /** Whether `isDenied` ever says yes. */
  get hasDenied(): boolean {
    return this.#base.hasDenied;
  }

  /** Whether a real path inside is one of those the operator denied, or lies below one. Listings and walks leave such entries out. */
  isDenied(realPath: string): boolean {
    return this.#permissions.isDenied(realPath);
  }

  /** Whether a real path is, or lies below, an allowed directory. */
  allows(realPath: string): boolean {
    return this.#permissions.allows(realPath);
  }

  /**
   * The absolute path an argument names, allowed as far as its text goes: nothing is looked up.
   * @throws PathError
   */
  resolve(input: string): string {
    const [first] = this.directories;
    if (first === undefined) {
      throw new PathError(
        'outside',
        'No directory is allowed. Start the server with a directory argument, or let the client announce a root.',
      );
    }
    const resolved = this.#permissions.respell(parsePath(input, first.path));
    // Elsewhere a case-insensitive or aliased spelling may be fine, and the verified path decides alone.
    if (this.#base.opener.kind === 'kernel-handle' && !this.#permissions.allowsText(resolved))
      throw outsideError(input);
    if (this.#permissions.deniesText(resolved)) throw deniedError(input);
    return resolved;
  }

  /**
   * Finds an existing file or directory and verifies where it really is. A name that is stored in another Unicode normalization is found as
   * well. The caller closes it.
   * @throws PathError
   */
  async pin(input: string, options: PinOptions = {}): Promise<PinnedPath> {
    const resolved = this.resolve(input);
    let pinned: PinnedPath;
    try {
      pinned = await this.#open(resolved, options);
    } catch (error) {
      const respelled =
        isMissing(error) && options.followLast !== false
          ? await this.#pinRespelled(resolved)
          : undefined;
      if (respelled !== undefined) return respelled;
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
   * Like `pinExactly` on the calling thread; `undefined` where that is not possible.
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
  async pinEntry(place: Place): Promise<PinnedPath> {
    await place.directory.verify();
    const pinned = await this.#open(path.join(place.directory.address, place.name), {
      followLast: false,
      within: place.directory.realPath,
    });
    return this.#verified(pinned, placePath(place));
  }

  /**
   * The verified directory and the name of something that exists, so that the entry itself can be moved or removed.
   * @throws PathError, `refused` for an allowed directory and what holds one
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
   * The verified directory in which a path that does not exist yet would be created. `createParents` makes missing directories, each inside
   * the verified one above it.
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
          advice: options.parentAdvice ?? createDirectoryAdvice,
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
   * Makes the missing directories of a path, each inside the verified one above it. What exists may be a file. The caller closes `directory`.
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

  /** The nearest existing verified directory at or above a path, with the names that are missing below it. The caller closes it. */
  async nearest(
    input: string,
  ): Promise<{ readonly directory: PinnedPath; readonly missing: readonly string[] }> {
    const resolved = this.resolve(input);
    const missing: string[] = [];
    for (let current = resolved; ; current = path.dirname(current)) {
      const pinned = await this.#open(current).catch(async (error: unknown) => {
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
      if (!isDenied && (next === undefined || !(await isSymbolicLink({ directory, name: next }))))
        return this.#respelled(directory, missing, input);
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

  #open(resolved: string, options: PinOptions = {}): Promise<PinnedPath> {
    const within = options.within ?? this.#permissions.directoryOf(resolved)?.realPath;
    return this.#base.opener.pin(resolved, within === undefined ? options : { ...options, within });
  }

  async #verified(pinned: PinnedPath, input: string): Promise<PinnedPath> {
    const isAllowed = this.allows(pinned.realPath);
    if (isAllowed && !this.isDenied(pinned.realPath)) return pinned;
    await pinned.close();
    if (isAllowed) throw deniedError(input);
    const alias =
      this.#base.opener.kind === 'kernel-handle'
        ? undefined
        : await this.#canonicalSpelling(pinned.realPath);
    if (alias === undefined) throw outsideError(input);
    return this.#verified(await this.#open(alias), input);
  }

  /**
   * Below an allowed directory that the path spells differently (its file system ignores case or normalization), the path as that directory is
   * spelled. Found by comparing what the path's directories are, not their names.
   */
  async #canonicalSpelling(realPath: string): Promise<string | undefined> {
    for (let current = realPath; ; current = path.dirname(current)) {
      const stats = await lstat(current, { bigint: true }).catch(() => undefined);
      const identity = stats === undefined ? undefined : identityOf(stats);
      const directory =
        identity === undefined
          ? undefined
          : this.directories.find((candidate) => candidate.identity === identity);
      if (directory !== undefined)
        return current === directory.realPath
          ? undefined
          : path.join(directory.realPath, path.relative(current, realPath));
      if (path.dirname(current) === current) return undefined;
    }
  }

  async #pinRespelled(resolved: string): Promise<PinnedPath | undefined> {
    if (!canBeSpelledOtherwise(resolved)) return undefined;
    const { directory, missing } = await this.nearest(resolved);
    if (missing.length === 0) return directory;
    await directory.close();
  }

  /** Goes down into names that exist in another Unicode normalization. */
  async #respelled(
    directory: PinnedPath,
    missing: readonly string[],
    input: string,
  ): Promise<{ directory: PinnedPath; missing: readonly string[] }> {
    let current = directory;
    const left = [...missing];
    for (let next = left[0]; next !== undefined; next = left[0]) {
      const above = current;
      try {
        const name = await spellingOf({ directory: above, name: next });
        if (name === undefined) break;
        current = await this.#enter({ directory: above, name }, input);
        left.shift();
      } catch (error) {
        await above.close();
        throw toPathError(error, input);
      }
      await above.close();
    }
    return { directory: current, missing: left };
  }

  async #enter(place: Place, input: string): Promise<PinnedPath> {
    try {
      return await this.#verified(
        await this.#open(path.join(place.directory.realPath, place.name)),
        input,
      );
    } catch (error) {
      // The error of a link that leads nowhere must not say more than that of one that leads outside.
      throw isMissing(error) && (await isSymbolicLink(place)) ? outsideError(input, error) : error;
    }
  }

  async #existingParent(
    parent: string,
    { input, advice }: { readonly input: string; readonly advice: string },
  ): Promise<PinnedPath> {
    try {
      return await this.pin(parent);
    } catch (error) {
      if (!(error instanceof PathError) || error.reason !== 'not-found') throw error;
      throw new PathError('not-found', `${input}: its parent directory does not exist. ${advice}`, {
        cause: error,
      });
    }
  }

  /** A failure below a link that leads outside must look like a denial, or the error would tell what exists there. */
  async #explain(resolved: string, input: string, error: unknown): Promise<unknown> {
    if (!this.#permissions.allowsText(resolved)) return outsideError(input, error);
    if (error instanceof PathError && error.reason === 'io') return error;
    for (
      let current = resolved;
      path.dirname(current) !== current;
      current = path.dirname(current)
    ) {
      const parent = await this.#open(path.dirname(current)).catch(() => undefined);
      if (parent === undefined) continue;
      await using directory = parent;
      if (!this.allows(directory.realPath) && !this.#isAllowedDirectoryText(current))
        return outsideError(input, error);
      if (this.isDenied(directory.realPath)) return deniedError(input);
      if (await isSymbolicLink({ directory, name: path.basename(current) }))
        return outsideError(input, error);
      break;
    }
    return toPathError(error, input);
  }

  /** The parent of an allowed directory is itself not allowed, but says nothing that the configuration did not. */
  #isAllowedDirectoryText(resolved: string): boolean {
    return this.directories.some(({ path: configured, realPath, aliases = [] }) =>
      [configured, realPath, ...aliases].includes(resolved),
    );
  }
}

/** On POSIX a name may hold one, but a new one that does is a Windows path that lost its way. */
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
    `${input} is an allowed directory itself or holds one; those stay where they are.`,
  );
}

/** The name as it is, or else in another Unicode normalization; `undefined` when neither exists. */
async function spellingOf(place: Place): Promise<string | undefined> {
  return (await entryStats(place)) === undefined
    ? findEquivalentName(place.directory, place.name)
    : place.name;
}

async function isSymbolicLink(place: Place): Promise<boolean> {
  return (await entryStats(place))?.isSymbolicLink() ?? false;
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function ignoreExisting(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') throw error;
}
