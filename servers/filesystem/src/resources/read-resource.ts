import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import { PathError, type PinnedPath, type Sandbox } from '@signalbox/file-sandbox';
import type { ResourceContents } from '@signalbox/mcp-core';
import { listEntries, type ListedEntry } from '../files/list-entries.ts';
import { jsonBytes, type Limits } from '../files/limits.ts';
import { readBounded } from '../files/read-bounded.ts';
import { requireRegularFile } from '../files/read-text.ts';
import { mimeTypeOf } from './mime-type.ts';
import { uriOf } from './resource-uri.ts';

export interface ReadResourceOptions {
  readonly uri: string;
  readonly sandbox: Sandbox;
  readonly limits: Limits;
  readonly signal: AbortSignal;
}

/**
 * Reads a file as text when it is UTF-8 without NUL, else as base64. Reads a directory as JSON `{
 * entries: [{ name, type }], truncated }`, followed by the text files that fit, in order of name,
 * each under its own URI.
 * @throws PathError for a file whose base64 is longer than a result, and for anything that is neither file nor directory
 */
export async function readResourceContents(
  pinned: PinnedPath,
  options: ReadResourceOptions,
): Promise<readonly ResourceContents[]> {
  if (pinned.stats.isDirectory()) return readDirectory(pinned, options);
  requireRegularFile(pinned);
  const { uri, limits } = options;
  const maxBytes = Math.floor(((limits.maxResultBytes - frameBytes) / 4) * 3);
  const { bytes, hasMore } = await readBounded(pinned, maxBytes);
  if (hasMore) {
    throw new PathError(
      'refused',
      `${pinned.realPath} has ${pinned.stats.size} bytes; a resource read returns at most ${maxBytes}. Use read_text_file with offset and limit.`,
    );
  }
  const mimeType = mimeTypeOf(pinned.realPath);
  const text = textOf(bytes);
  if (text !== undefined && jsonBytes(text) <= limits.maxResultBytes)
    return [{ uri, mimeType: mimeType ?? 'text/plain', text }];
  return [
    { uri, mimeType: mimeType ?? 'application/octet-stream', blob: bytes.toString('base64') },
  ];
}

async function readDirectory(
  directory: PinnedPath,
  { uri, sandbox, limits, signal }: ReadResourceOptions,
): Promise<readonly ResourceContents[]> {
  const page = await listEntries(directory, { limit: limits.maxEntries, signal });
  const entries = page.entries.filter(
    ({ name }) => !sandbox.isDenied(path.join(directory.realPath, name)),
  );
  const listing = {
    uri,
    mimeType: 'application/json',
    text: listingWithin({ entries, truncated: page.hasMore }, limits.maxResultBytes - frameBytes),
  };
  const contents: ResourceContents[] = [listing];
  let room = limits.maxResultBytes - frameBytes - jsonBytes(listing.text);
  for (const entry of entries) {
    if (room < smallestRoom || contents.length > maxChildren) break;
    signal.throwIfAborted();
    const child = await readChild({ sandbox, directory }, entry, room);
    if (child === undefined) continue;
    room -= Buffer.byteLength(JSON.stringify(child));
    if (room >= 0) contents.push(child);
  }
  return contents;
}

/** Bytes of a result apart from its contents; a URI has at most 4096 characters. */
const frameBytes = 16 * 1024;

/** Returns a listing as JSON, cut to the given size in a message. */
function listingWithin(
  { entries, truncated }: { readonly entries: readonly ListedEntry[]; readonly truncated: boolean },
  maxBytes: number,
): string {
  const text = JSON.stringify({ entries, truncated });
  return jsonBytes(text) <= maxBytes
    ? text
    : listingWithin(
        { entries: entries.slice(0, Math.floor(entries.length / 2)), truncated: true },
        maxBytes,
      );
}

/** Maximum number of text files in the result of one directory. */
const maxChildren = 100;
/** Remaining bytes below which no further file is tried. */
const smallestRoom = 512;

interface Parent {
  readonly sandbox: Sandbox;
  readonly directory: PinnedPath;
}

/**
 * Reads a text file of at most `room` bytes without following links; `undefined` for anything else.
 */
async function readChild(
  { sandbox, directory }: Parent,
  entry: ListedEntry,
  room: number,
): Promise<ResourceContents | undefined> {
  if (entry.type !== 'file') return undefined;
  const realPath = path.join(directory.realPath, entry.name);
  try {
    await using child = await sandbox.pinExactly(realPath);
    if (!child.stats.isFile() || child.stats.size > room) return undefined;
    const { bytes, hasMore } = await readBounded(child, room);
    const text = textOf(bytes);
    return hasMore || text === undefined
      ? undefined
      : { uri: uriOf(realPath), mimeType: mimeTypeOf(realPath) ?? 'text/plain', text };
  } catch {
    // The listing contains the file; reading it alone reports the error.
    return undefined;
  }
}

/** Decodes UTF-8 text; `undefined` for other bytes. */
function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : undefined;
}
