import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { PinnedPath } from '../sandbox/pinned-path.ts';
import { entryType, type EntryType } from './entry-type.ts';
import { withinBudget } from './list-entries.ts';
import { SmallestItems } from './smallest-items.ts';

export interface SizedEntry {
  readonly name: string;
  readonly type: EntryType;
  /** Bytes; 0 of what is no file, and where it is not known because `mtime` is absent. */
  readonly size: number;
  /** ISO 8601; absent when the entry was gone before it could be looked at. */
  readonly mtime?: string;
}

export interface SizedListing {
  /** In the order of `compare`. */
  readonly entries: readonly SizedEntry[];
  readonly hasMore: boolean;
  /** Of the whole directory. */
  readonly totals: { readonly files: number; readonly directories: number; readonly bytes: number };
}

export interface ListSizesOptions {
  readonly limit: number;
  /** JSON bytes that names, types, sizes and times may take in all. */
  readonly maxBytes: number;
  readonly compare: (left: SizedEntry, right: SizedEntry) => number;
  /** Only what comes after this in the order of `compare`. */
  readonly after?: SizedEntry;
  readonly isHidden: (name: string) => boolean;
  readonly signal: AbortSignal;
  readonly onScanned: (entries: number) => void;
}

/** Entries looked at at once: as many as keep the threads of the process busy. */
const batchSize = 64;

/** One page of a verified directory with sizes, links not followed; memory is bounded by the page, whatever the directory's size. */
export async function listSizes(
  directory: PinnedPath,
  options: ListSizesOptions,
): Promise<SizedListing> {
  const { limit, maxBytes, compare, after, isHidden, signal, onScanned } = options;
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
        sized(directory.address, entry.name, type),
      ),
    );
    if (batch.length >= batchSize) await flush();
  }
  await flush();
  const found = smallest.sorted();
  const entries = withinBudget(found.slice(0, limit), { maxBytes, bytesBeside: 96 });
  return { entries, hasMore: found.length > entries.length, totals };
}

async function sized(address: string, name: string, type: EntryType): Promise<SizedEntry> {
  try {
    const stats = await lstat(path.join(address, name));
    return { name, type, size: stats.isFile() ? stats.size : 0, mtime: stats.mtime.toISOString() };
  } catch {
    return { name, type, size: 0 };
  }
}
