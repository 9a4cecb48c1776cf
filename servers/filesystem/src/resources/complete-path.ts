import path from 'node:path';
import type { PinnedPath, Sandbox } from '@signalbox/file-sandbox';
import type { Completion } from '@signalbox/mcp-core';
import { byCodePoint, SmallestItems } from '../files/smallest-items.ts';
import { reachableEntry } from './reachable-entry.ts';

/** Maximum number of values of one completion. */
export const maxCompletions = 100;
/** Maximum number of entries of a directory that one completion reads. */
const maxScanned = 50_000;

/**
 * Returns existing paths that begin with the given text, in its spelling: first the allowed
 * directories, then the entries of its directory in order of name. Directories end in `/`. Excludes
 * paths that are outside, denied, or neither file nor directory.
 */
export async function completePath(
  sandbox: Sandbox,
  typed: string,
  signal: AbortSignal,
): Promise<Completion> {
  const roots = path.isAbsolute(typed)
    ? sandbox.directories
        .map((directory) => directory.path)
        .filter((root) => root.startsWith(typed) && root !== typed)
    : [];
  const { values, hasMore } = await entriesBelow(sandbox, typed, signal);
  const all = [...new Set([...roots, ...values])];
  return { values: all.slice(0, maxCompletions), hasMore: hasMore || all.length > maxCompletions };
}

async function entriesBelow(
  sandbox: Sandbox,
  typed: string,
  signal: AbortSignal,
): Promise<Completion> {
  const end = Math.max(typed.lastIndexOf('/'), typed.lastIndexOf(path.sep)) + 1;
  const [above, prefix] = [typed.slice(0, end), typed.slice(end)];
  const pinned = await sandbox.pin(above === '' ? '.' : above).catch(() => undefined);
  if (pinned === undefined) return none;
  await using directory = pinned;
  if (!directory.stats.isDirectory()) return none;
  const { names, hasMore } = await namesWith(prefix, directory, signal);
  const values: string[] = [];
  for (const name of names) {
    const stats = await reachableEntry(sandbox, directory, name);
    if (stats !== undefined) values.push(`${above}${name}${stats.isDirectory() ? '/' : ''}`);
  }
  return { values, hasMore };
}

const none: Completion = { values: [], hasMore: false };

async function namesWith(
  prefix: string,
  directory: PinnedPath,
  signal: AbortSignal,
): Promise<{ names: readonly string[]; hasMore: boolean }> {
  const smallest = new SmallestItems<string>(maxCompletions + 1, byCodePoint);
  let scanned = 0;
  for await (const { name } of await directory.entries()) {
    signal.throwIfAborted();
    if (++scanned > maxScanned) break;
    if (name.startsWith(prefix)) smallest.add(name);
  }
  const names = smallest.sorted();
  return {
    names: names.slice(0, maxCompletions),
    hasMore: names.length > maxCompletions || scanned > maxScanned,
  };
}
