import type { PinnedPath } from '@signalbox/file-sandbox';
import { entryBatches } from './entry-batches.ts';
import type { EntryType } from './entry-type.ts';
import { jsonBytes } from './limits.ts';
import { byCodePoint, SmallestItems } from './smallest-items.ts';

export interface ListedEntry {
  readonly name: string;
  readonly type: EntryType;
}

export interface EntryPage {
  /** Entries sorted by name. */
  readonly entries: readonly ListedEntry[];
  /** Whether more entries follow; the next page is `after` the last name. */
  readonly hasMore: boolean;
}

export interface ListOptions {
  readonly limit: number;
  /** Returns only names sorted after this one. */
  readonly after?: string;
  /** Whether to leave an entry out; default: none. */
  readonly isHidden?: (name: string) => boolean;
  /** Maximum number of bytes of JSON for all names and types; default 400 KiB. */
  readonly maxBytes?: number;
  readonly signal: AbortSignal;
}

/**
 * Returns one sorted page of a verified directory. Memory is bounded by the page, not by the
 * directory.
 */
export async function listEntries(directory: PinnedPath, options: ListOptions): Promise<EntryPage> {
  const { limit, after, isHidden = () => false, maxBytes = 400 * 1024, signal } = options;
  const smallest = new SmallestItems<ListedEntry>(limit + 1, (left, right) =>
    byCodePoint(left.name, right.name),
  );
  for await (const batch of entryBatches(directory, signal)) {
    signal.throwIfAborted();
    for (const entry of batch)
      if ((after === undefined || byCodePoint(entry.name, after) > 0) && !isHidden(entry.name))
        smallest.add(entry);
  }
  const found = smallest.sorted();
  const entries = withinBudget(found.slice(0, limit), { maxBytes, bytesBeside: 32 });
  return { entries, hasMore: entries.length < found.length };
}

/**
 * Returns the first entries whose JSON takes at most `maxBytes`: their names and `bytesBeside` for
 * the other fields of each. At least one.
 */
export function withinBudget<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  { maxBytes, bytesBeside }: { readonly maxBytes: number; readonly bytesBeside: number },
): readonly Entry[] {
  let bytes = 0;
  const end = entries.findIndex(
    (entry, index) => (bytes += jsonBytes(entry.name) + bytesBeside) > maxBytes && index > 0,
  );
  return end === -1 ? entries : entries.slice(0, end);
}
