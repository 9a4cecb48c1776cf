import type { PinnedPath } from '@signalbox/file-sandbox';
import { listEntries } from '../files/list-entries.ts';
import { byCodePoint } from '../files/smallest-items.ts';

export interface NamePage {
  readonly entries: readonly { readonly name: string }[];
  readonly hasMore: boolean;
}

export interface NamePageOptions {
  readonly limit: number;
  /** Returns only names sorted after this one. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
}

/** Maximum number of characters of cached names. */
const maxKeptLength = 4 * 1024 * 1024;
/**
 * Milliseconds for which names are cached; two changes within some milliseconds may have the same
 * time on a file system.
 */
const keptMs = 10_000;

/**
 * Caches the sorted names of the last listed directory until the directory changes, so that a walk
 * through all pages reads it once.
 */
export class NameCache {
  #kept:
    | { readonly key: string; readonly names: readonly string[]; readonly readAt: number }
    | undefined;

  async page(directory: PinnedPath, { limit, after, signal }: NamePageOptions): Promise<NamePage> {
    const names = await this.#namesOf(directory, after !== undefined, signal);
    if (names === undefined)
      return listEntries(directory, { limit, ...(after === undefined ? {} : { after }), signal });
    const from = after === undefined ? 0 : firstAfter(names, after);
    const entries = names.slice(from, from + limit).map((name) => ({ name }));
    return { entries, hasMore: from + limit < names.length };
  }

  /**
   * Returns the sorted names, always freshly read for a first page; `undefined` for a directory
   * with too many names.
   */
  async #namesOf(
    directory: PinnedPath,
    mayBeKept: boolean,
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    const { identity, stats } = directory;
    const key = `${identity} ${stats.mtimeMs} ${stats.ctimeMs}`;
    const now = performance.now();
    if (
      mayBeKept &&
      identity !== undefined &&
      this.#kept?.key === key &&
      now - this.#kept.readAt < keptMs
    )
      return this.#kept.names;
    const names: string[] = [];
    let length = 0;
    for await (const { name } of await directory.entries()) {
      signal.throwIfAborted();
      names.push(name);
      length += name.length;
      if (length > maxKeptLength) return undefined;
    }
    names.sort(byCodePoint);
    this.#kept = { key, names, readAt: now };
    return names;
  }
}

/** Returns the position of the first name after `after`. */
function firstAfter(names: readonly string[], after: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byCodePoint(names[middle] ?? '', after) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
