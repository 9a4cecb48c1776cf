import type { PinnedPath } from '../sandbox/pinned-path.ts';
import { entryType, type EntryType } from './entry-type.ts';
import { jsonBytes } from './limits.ts';
import { byCodeUnit, SmallestItems } from './smallest-items.ts';

export interface ListedEntry {
  readonly name: string;
  readonly type: EntryType;
}

export interface EntryPage {
  /** Sorted by name. */
  readonly entries: readonly ListedEntry[];
  /** Whether entries follow; the next page is `after` the last name. */
  readonly hasMore: boolean;
}

export interface ListOptions {
  readonly limit: number;
  /** Only names sorted after this one. */
  readonly after?: string;
  readonly signal: AbortSignal;
}

/** One sorted page of a verified directory; memory is bounded by the page, whatever the directory's size. */
export async function listEntries(directory: PinnedPath, options: ListOptions): Promise<EntryPage> {
  const { limit, after, signal } = options;
  const smallest = new SmallestItems<ListedEntry>(limit + 1, (left, right) => byCodeUnit(left.name, right.name));
  for await (const entry of await directory.entries()) {
    signal.throwIfAborted();
    if (after === undefined || entry.name > after) smallest.add({ name: entry.name, type: await entryType(entry, directory.address) });
  }
  const found = smallest.sorted();
  const entries = withinBudget(found.slice(0, limit));
  return { entries, hasMore: entries.length < found.length };
}

const pageBudgetBytes = 400 * 1024;

function withinBudget(entries: readonly ListedEntry[]): readonly ListedEntry[] {
  let bytes = 0;
  const end = entries.findIndex((entry) => (bytes += jsonBytes(entry.name) + 32) > pageBudgetBytes);
  return end === -1 ? entries : entries.slice(0, end);
}
