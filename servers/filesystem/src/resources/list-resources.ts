import type { Stats } from 'node:fs';
import path from 'node:path';
import { type AllowedDirectory, PathError, type Sandbox } from '@signalbox/file-sandbox';
import type { ListResourcesResult, Resource } from '@signalbox/mcp-core';
import { fileTime } from '@signalbox/server-kit';
import { decodeNameCursor, encodeNameCursor } from '../files/name-cursor.ts';
import { directoryMimeType, mimeTypeOf } from './mime-type.ts';
import type { NameCache } from './name-cache.ts';
import { reachableEntry } from './reachable-entry.ts';
import { uriOf } from './resource-uri.ts';

/** Number of resources on one page. */
export const resourcePageSize = 100;

/**
 * Lists each allowed directory, followed by the files and directories of its first level in order
 * of name, 100 per page. Excludes links that lead outside or nowhere, and entries that cannot be
 * read.
 * @throws PathError `invalid` for a cursor this function did not make
 */
export async function listResources(
  sandbox: Sandbox,
  cursor: string | undefined,
  { signal, names }: ListRun,
): Promise<ListResourcesResult> {
  const resources: Resource[] = [];
  let position = cursor === undefined ? { index: 0 } : decodePosition(cursor);
  for (;;) {
    const directory = sandbox.directories[position.index];
    if (directory === undefined) return { resources };
    const listing = {
      sandbox,
      directory,
      signal,
      names,
      room: resourcePageSize - resources.length,
    };
    const { page, last } = await listOne(listing, position.after);
    resources.push(...page);
    if (last !== undefined)
      return { resources, nextCursor: encodePosition({ index: position.index, after: last }) };
    position = { index: position.index + 1 };
    if (resources.length === resourcePageSize && position.index < sandbox.directories.length) {
      return { resources, nextCursor: encodePosition(position) };
    }
  }
}

export interface ListRun {
  readonly signal: AbortSignal;
  /** Cache of the names of a large directory between pages. */
  readonly names: NameCache;
}

interface Position {
  readonly index: number;
  /**
   * Last listed name in the directory; empty when only the directory itself was listed, absent
   * before that.
   */
  readonly after?: string;
}

interface Listing {
  readonly sandbox: Sandbox;
  readonly directory: AllowedDirectory;
  readonly signal: AbortSignal;
  readonly names: NameCache;
  readonly room: number;
}

/**
 * Lists a part of one directory. `last` is the name to continue after, absent at the end of the
 * directory.
 */
async function listOne(
  listing: Listing,
  after: string | undefined,
): Promise<{ page: Resource[]; last?: string }> {
  const { sandbox, directory, signal } = listing;
  const pinned = await sandbox.pin(directory.path).catch(() => undefined);
  if (pinned === undefined) return { page: [] };
  await using root = pinned;
  const page =
    after === undefined
      ? [describe(directory.path, path.basename(directory.path), root.stats)]
      : [];
  const limit = listing.room - page.length;
  if (!root.stats.isDirectory()) return { page };
  if (limit === 0) return { page, last: '' };
  const { entries, hasMore } = await listing.names.page(root, { limit, after, signal });
  for (const entry of entries) {
    const stats = await reachableEntry(sandbox, root, entry.name);
    if (stats !== undefined)
      page.push(describe(path.join(directory.path, entry.name), entry.name, stats));
  }
  const last = entries.at(-1);
  return hasMore && last !== undefined ? { page, last: last.name } : { page };
}

function describe(absolutePath: string, name: string, stats: Stats): Resource {
  const annotations = { lastModified: fileTime(stats.mtimeMs).toISOString() };
  const resource = { uri: uriOf(absolutePath), name: name || absolutePath, annotations };
  if (stats.isDirectory()) return { ...resource, mimeType: directoryMimeType };
  const mimeType = mimeTypeOf(absolutePath);
  return { ...resource, size: stats.size, ...(mimeType === undefined ? {} : { mimeType }) };
}

function encodePosition(position: Position): string {
  return encodeNameCursor(JSON.stringify(position));
}

function decodePosition(cursor: string): Position {
  try {
    const value: unknown = JSON.parse(decodeNameCursor(cursor));
    if (isPosition(value)) return value;
  } catch (error) {
    throw badCursor(error);
  }
  throw badCursor();
}

function isPosition(value: unknown): value is Position {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('index' in value) ||
    !Number.isSafeInteger(value.index)
  )
    return false;
  return !('after' in value) || typeof value.after === 'string';
}

function badCursor(cause?: unknown): PathError {
  return new PathError(
    'invalid',
    'This server did not issue the cursor. Omit it to start from the beginning.',
    { cause },
  );
}
