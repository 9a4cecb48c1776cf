import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { AllowedDirectory } from './allowed-directory.ts';
import { identityOf } from '../opener/checked-path.ts';
import { entryStats, placePath, type Place } from '../entries/entry-changes.ts';
import { canBeSpelledOtherwise, findEquivalentName } from '../path/equivalent-name.ts';
import { parsePath } from '../path/parse-path.ts';
import {
  deniedError,
  errorCode,
  outsideError,
  PathError,
  toPathError,
} from '../path/path-error.ts';
import type { Permissions } from './permissions.ts';
import type { Opener, PinnedPath, PinOptions } from '../opener/pinned-path.ts';

export interface PathLookupOptions {
  readonly directories: readonly AllowedDirectory[];
  readonly opener: Opener;
  readonly permissions: Permissions;
}

/** An existing directory and the names that are missing below it. */
export interface NearestDirectory {
  readonly directory: PinnedPath;
  /** Names below the directory that do not exist. */
  readonly missing: readonly string[];
}

/** Finds the paths of one sandbox and verifies each on the opened file. `Sandbox` documents the methods. */
export class PathLookup {
  readonly #directories: readonly AllowedDirectory[];
  readonly #opener: Opener;
  readonly #permissions: Permissions;

  constructor({ directories, opener, permissions }: PathLookupOptions) {
    this.#directories = directories;
    this.#opener = opener;
    this.#permissions = permissions;
  }

  resolve(input: string): string {
    const [first] = this.#directories;
    if (first === undefined) {
      throw new PathError(
        'outside',
        'No directory is allowed. Start the server with a directory argument, or let the client announce a root.',
      );
    }
    const resolved = this.#permissions.respell(parsePath(input, first.path));
    // On other platforms the file system may ignore case, so that only the verified path decides.
    if (this.#opener.kind === 'kernel-handle' && !this.#permissions.allowsText(resolved))
      throw outsideError(input);
    if (this.#permissions.deniesText(resolved)) throw deniedError(input);
    return resolved;
  }

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

  async pinEntry(place: Place): Promise<PinnedPath> {
    await place.directory.verify();
    const pinned = await this.#open(path.join(place.directory.address, place.name), {
      followLast: false,
      within: place.directory.realPath,
    });
    return this.#verified(pinned, placePath(place));
  }

  async nearest(input: string): Promise<NearestDirectory> {
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
      const isDenied = this.#permissions.isDenied(path.join(directory.realPath, ...missing));
      if (!isDenied && (next === undefined || !(await isSymbolicLink({ directory, name: next }))))
        return this.#respelled(directory, missing, input);
      await directory.close();
      throw isDenied ? deniedError(input) : outsideError(input);
    }
  }

  #open(resolved: string, options: PinOptions = {}): Promise<PinnedPath> {
    const within = options.within ?? this.#permissions.directoryOf(resolved)?.realPath;
    return this.#opener.pin(resolved, within === undefined ? options : { ...options, within });
  }

  async #verified(pinned: PinnedPath, input: string): Promise<PinnedPath> {
    const isAllowed = this.#permissions.allows(pinned.realPath);
    if (isAllowed && !this.#permissions.isDenied(pinned.realPath)) return pinned;
    await pinned.close();
    if (isAllowed) throw deniedError(input);
    const alias =
      this.#opener.kind === 'kernel-handle'
        ? undefined
        : await this.#canonicalSpelling(pinned.realPath);
    if (alias === undefined) throw outsideError(input);
    return this.#verified(await this.#open(alias), input);
  }

  /**
   * Returns the path in the spelling of an allowed directory that the path spells differently, because the file system ignores case or
   * normalization. Compares the identities of the directories, not their names.
   */
  async #canonicalSpelling(realPath: string): Promise<string | undefined> {
    for (let current = realPath; ; current = path.dirname(current)) {
      const stats = await lstat(current, { bigint: true }).catch(() => undefined);
      const identity = stats === undefined ? undefined : identityOf(stats);
      const directory =
        identity === undefined
          ? undefined
          : this.#directories.find((candidate) => candidate.identity === identity);
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

  /** Enters the directories whose names exist in another Unicode normalization. */
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
      // A dangling link and a link to the outside must cause the same error.
      throw isMissing(error) && (await isSymbolicLink(place)) ? outsideError(input, error) : error;
    }
  }

  /** Returns a denial for a failure below a link to the outside: another error would reveal what exists there. */
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
      if (!this.#permissions.allows(directory.realPath) && !this.#isAllowedDirectoryText(current))
        return outsideError(input, error);
      if (this.#permissions.isDenied(directory.realPath)) return deniedError(input);
      if (await isSymbolicLink({ directory, name: path.basename(current) }))
        return outsideError(input, error);
      break;
    }
    return toPathError(error, input);
  }

  /** Whether a path is an allowed directory by its text. Its parent is not allowed, but reveals only what the configuration says. */
  #isAllowedDirectoryText(resolved: string): boolean {
    return this.#directories.some(({ path: configured, realPath, aliases = [] }) =>
      [configured, realPath, ...aliases].includes(resolved),
    );
  }
}

/** Returns the name as given, or else in another Unicode normalization; `undefined` when neither exists. */
export async function spellingOf(place: Place): Promise<string | undefined> {
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
