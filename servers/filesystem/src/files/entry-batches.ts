import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { PinnedPath } from '@signalbox/file-sandbox';
import { entryType, knownType, type EntryType } from './entry-type.ts';

export interface TypedEntry {
  readonly name: string;
  readonly type: EntryType;
}

/** Largest directory, in bytes of its own, that is read at once: some 20,000 entries. */
const maxBytesAtOnce = 1024 * 1024;
const batchEntries = 1024;

/**
 * Yields the entries of a verified directory with their types, in batches: a directory of ordinary
 * size is one batch, which takes half the time of a stream.
 * @throws the signal's reason
 */
export async function* entryBatches(
  directory: PinnedPath,
  signal: AbortSignal,
): AsyncGenerator<readonly TypedEntry[], void> {
  const { address, isHeld, stats } = directory;
  if (isHeld && stats.size <= maxBytesAtOnce) {
    yield await typed(await readdir(address, { withFileTypes: true }), address);
    return;
  }
  let batch: Dirent[] = [];
  for await (const entry of await directory.entries()) {
    signal.throwIfAborted();
    batch.push(entry);
    if (batch.length < batchEntries) continue;
    yield await typed(batch, address);
    batch = [];
  }
  yield await typed(batch, address);
}

async function typed(entries: readonly Dirent[], address: string): Promise<readonly TypedEntry[]> {
  const found: TypedEntry[] = [];
  for (const entry of entries) {
    const type = knownType(entry) ?? (await entryType(entry, address));
    found.push({ name: entry.name, type });
  }
  return found;
}
