import path from 'node:path';
import {
  entryStats,
  isInside,
  makeDirectory,
  makeSymbolicLink,
  moveEntry,
  PathError,
  type PinnedPath,
  type Place,
  placePath,
  readSymbolicLink,
  type Sandbox,
  sweepAround,
  temporaryName,
  toPathError,
  requireDepth,
  TreeRemoval,
} from '@signalbox/file-sandbox';
import { copyContent, copyPermissions } from './copy-content.ts';
import { entryType } from './entry-type.ts';
import { freePlace } from './free-place.ts';
import { requireRegularFile } from './read-text.ts';

export interface CopyRequest {
  readonly source: string;
  readonly destination: string;
  readonly recursive: boolean;
}

export interface CopyOptions {
  readonly signal: AbortSignal;
  /** Maximum number of entries of a tree; default 100000. */
  readonly maxEntries?: number;
  /** Called with the number of entries and bytes copied so far. */
  readonly onProgress: (entries: number, bytes: number) => void;
}

export interface CopyOutcome {
  /** Real path of the copy. */
  readonly realPath: string;
  readonly files: number;
  readonly directories: number;
  readonly bytes: number;
  /**
   * Number of skipped entries: FIFOs, sockets, devices, and links that lead outside or nowhere, now
   * or from their new place. Excludes denied entries.
   */
  readonly skipped: number;
  /** The first skipped entries, by path below the copied directory. */
  readonly firstSkipped: readonly SkippedEntry[];
}

export interface SkippedEntry {
  readonly path: string;
  readonly reason:
    | 'special file'
    | 'leads outside or nowhere'
    | 'would lead elsewhere from there'
    | 'denied there';
}

/**
 * Copies a file, or with `recursive` a directory, to a free name. The name appears when the copy is
 * complete; a failure or cancellation leaves nothing behind. Keeps permissions, but not owner and
 * times.
 * @throws PathError
 */
export async function copyPath(
  sandbox: Sandbox,
  request: CopyRequest,
  options: CopyOptions,
): Promise<CopyOutcome> {
  await using source = await sandbox.pin(request.source);
  const isDirectory = source.stats.isDirectory();
  if (isDirectory && !request.recursive)
    throw new PathError(
      'wrong-type',
      `${request.source} is a directory; set recursive to copy it with everything in it.`,
    );
  if (!isDirectory) requireRegularFile(source);
  const target = await freePlace(sandbox, request.destination);
  await using directory = target.directory;
  if (isDirectory && isInside(directory.realPath, source.realPath))
    throw new PathError(
      'refused',
      `${request.destination} lies in ${request.source}; a directory cannot be copied into itself.`,
    );
  const copy = new TreeCopy(sandbox, { ...options, destination: placePath(target) });
  const temporary = { directory, name: temporaryName() };
  sweepAround(sandbox, directory.realPath);
  try {
    if (isDirectory) await copy.directory(source, temporary);
    else await copy.file(source, temporary);
    options.signal.throwIfAborted();
    await publish(temporary, target, request.destination);
  } catch (error) {
    await new TreeRemoval(sandbox, { signal: new AbortController().signal, onEntries: () => {} })
      .remove(temporary)
      .catch(() => undefined);
    throw toPathError(error, request.destination);
  }
  return { realPath: placePath(target), ...copy.counts, firstSkipped: copy.firstSkipped };
}

async function publish(temporary: Place, target: Place, destination: string): Promise<void> {
  const stats = await entryStats(temporary);
  if (stats === undefined)
    throw new PathError('io', `${destination}: the copy was removed before it was complete.`);
  await moveEntry({ ...temporary, stats }, target);
}

/** Maximum number of skipped entries in a result. */
const maxListedSkips = 20;

interface TreeCopyOptions extends CopyOptions {
  /** Future real path of the tree, from which links are resolved. */
  readonly destination: string;
}

class TreeCopy {
  readonly counts = { files: 0, directories: 0, bytes: 0, skipped: 0 };
  readonly #sandbox: Sandbox;
  readonly #options: TreeCopyOptions;
  readonly firstSkipped: SkippedEntry[] = [];
  #entries = 0;

  constructor(sandbox: Sandbox, options: TreeCopyOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
  }

  async file(source: PinnedPath, target: Place): Promise<void> {
    const { signal, onProgress } = this.#options;
    this.counts.bytes += await copyContent(source, target, {
      signal,
      onBytes: (bytes) => {
        onProgress(this.#entries, this.counts.bytes + bytes);
      },
    });
    this.counts.files++;
    this.#advance();
  }

  async directory(source: PinnedPath, target: Place, below = ''): Promise<void> {
    requireDepth(source, below === '' ? 0 : below.split(path.sep).length);
    await makeDirectory(target, 0o700);
    await using copy = await this.#sandbox.pinEntry(target);
    this.counts.directories++;
    this.#advance();
    for await (const entry of await source.entries()) {
      this.#options.signal.throwIfAborted();
      const from = { directory: source, name: entry.name };
      const to = { directory: copy, name: entry.name };
      const relative = path.join(below, entry.name);
      if (this.#sandbox.isDenied(placePath(from))) continue;
      if (this.#sandbox.isDenied(path.join(this.#options.destination, relative))) {
        this.#skip(relative, 'denied there');
        continue;
      }
      await this.#entry(await entryType(entry, source.address), { from, to, relative });
    }
    await copyPermissions(source, copy);
  }

  async #entry(
    type: 'file' | 'directory' | 'symlink' | 'other',
    step: { readonly from: Place; readonly to: Place; readonly relative: string },
  ): Promise<void> {
    if (type === 'other') return this.#skip(step.relative, 'special file');
    if (type === 'symlink') return this.#link(step);
    try {
      await using source = await this.#sandbox.pinEntry(step.from);
      if (source.stats.isDirectory()) await this.directory(source, step.to, step.relative);
      else if (source.stats.isFile()) await this.file(source, step.to);
      else this.#skip(step.relative, 'special file');
    } catch (error) {
      throw toPathError(error, placePath(step.from));
    }
  }

  /** Copies the text of a link that leads inside, both now and from the place of the copy. */
  async #link({
    from,
    to,
    relative,
  }: {
    readonly from: Place;
    readonly to: Place;
    readonly relative: string;
  }): Promise<void> {
    const text = await readSymbolicLink(from);
    const leadsInside = await this.#sandbox.pin(placePath(from)).then(
      async (target) => {
        await target.close();
        return true;
      },
      () => false,
    );
    const resolved = path.resolve(
      path.dirname(path.join(this.#options.destination, relative)),
      text,
    );
    // The meaning of `..` after a name depends on the target of that name.
    const isPlain = !/[^/\\.][/\\]+\.\.(?:[/\\]|$)/.test(text);
    if (!leadsInside) return this.#skip(relative, 'leads outside or nowhere');
    if (!isPlain || !this.#sandbox.allows(resolved) || this.#sandbox.isDenied(resolved))
      return this.#skip(relative, 'would lead elsewhere from there');
    await makeSymbolicLink(to, text);
    this.counts.files++;
    this.#advance();
  }

  #skip(relative: string, reason: SkippedEntry['reason']): void {
    this.counts.skipped++;
    if (this.firstSkipped.length < maxListedSkips)
      this.firstSkipped.push({ path: relative, reason });
  }

  #advance(): void {
    const { maxEntries = 100_000, onProgress } = this.#options;
    this.#entries++;
    if (this.#entries > maxEntries)
      throw new PathError(
        'refused',
        `More than ${maxEntries} entries are not copied at once; nothing was copied. Copy the directories below one by one.`,
      );
    onProgress(this.#entries, this.counts.bytes);
  }
}
