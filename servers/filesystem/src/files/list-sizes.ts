import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { PinnedPath } from '@signalbox/file-sandbox';
import { fileTime } from '@signalbox/server-kit';
import { entryType, type EntryType } from './entry-type.ts';
import { withinBudget, type ListedEntry } from './list-entries.ts';
import { SmallestItems } from './smallest-items.ts';

export interface SizedEntry {
  readonly name: string;
  readonly type: EntryType;
  /** Size in bytes, of a link that of its target; 0 for a directory, and when unknown because `mtime` is absent. */
  readonly size: number;
  /** Size that orders the entries: that of the file system also for a directory. */
  readonly sortSize: number;
  /** Time of the last change, ISO 8601; absent when the entry was removed meanwhile. */
  readonly mtime?: string;
}

export interface SizedListing {
  /** Entries in the order of `compare`. */
  readonly entries: readonly SizedEntry[];
  readonly hasMore: boolean;
  /** Totals of the whole directory. */
  readonly totals: { readonly files: number; readonly directories: number; readonly bytes: number };
}

export interface ListSizesOptions {
  readonly limit: number;
  /** Maximum number of bytes of JSON for all names, types, sizes and times. */
  readonly maxBytes: number;
  readonly compare: (left: SizedEntry, right: SizedEntry) => number;
  /** Returns only entries after this one in the order of `compare`. */
  readonly after?: SizedEntry;
  readonly isHidden: (name: string) => boolean;
  /** Returns the size of the target of a link; 0 for a target that may not be read. */
  readonly targetSize: (name: string) => Promise<number>;
  readonly signal: AbortSignal;
  readonly onScanned: (entries: number) => void;
}

/** Parallel calls of `lstat`, enough to keep the threads of the process busy. */
const batchSize = 64;

/**
 * Returns one page of a verified directory with sizes. Memory is bounded by the page, not by the
 * directory.
 */
export async function listSizes(
  directory: PinnedPath,
  options: ListSizesOptions,
): Promise<SizedListing> {
  const { limit, maxBytes, compare, after, isHidden, targetSize, signal, onScanned } = options;
  const smallest = new SmallestItems<SizedEntry>(limit + 1, compare);
  const totals = { files: 0, directories: 0, bytes: 0 };
  let scanned = 0;
  let batch: Promise<SizedEntry>[] = [];
  const flush = async () => {
    signal.throwIfAborted();
    for (const entry of await Promise.all(batch)) {
      if (entry.type === 'directory') totals.directories++;
      else totals.files++;
      totals.bytes += entry.size;
      if (after === undefined || compare(entry, after) > 0) smallest.add(entry);
    }
    scanned += batch.length;
    batch = [];
    onScanned(scanned);
  };
  for await (const entry of await directory.entries()) {
    if (isHidden(entry.name)) continue;
    batch.push(
      entryType(entry, directory.address).then((type) =>
        sized(directory.address, { name: entry.name, type }, targetSize),
      ),
    );
    if (batch.length >= batchSize) await flush();
  }
  await flush();
  const found = smallest.sorted();
  const entries = withinBudget(found.slice(0, limit), { maxBytes, bytesBeside: 96 });
  return { entries, hasMore: found.length > entries.length, totals };
}

async function sized(
  address: string,
  { name, type }: ListedEntry,
  targetSize: ListSizesOptions['targetSize'],
): Promise<SizedEntry> {
  try {
    const stats = await lstat(path.join(address, name));
    const own = stats.isSymbolicLink() ? await targetSize(name) : stats.size;
    const size = stats.isDirectory() ? 0 : own;
    return { name, type, size, sortSize: own, mtime: fileTime(stats.mtimeMs).toISOString() };
  } catch {
    return { name, type, size: 0, sortSize: 0 };
  }
}
