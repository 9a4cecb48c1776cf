import path from 'node:path';
import { PathError, pinDirectory, type Sandbox, shownName } from '@signalbox/file-sandbox';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { entryTypes } from '../files/entry-type.ts';
import { listSizes, type SizedEntry, type SizedListing } from '../files/list-sizes.ts';
import { decodeNameCursor, encodeNameCursor } from '../files/name-cursor.ts';
import { byCodePoint } from '../files/smallest-items.ts';
import { labelOf, withMoreNote } from './list-directory.ts';
import type { ToolRunner } from './tool-runner.ts';

export function listDirectoryWithSizesTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'list_directory_with_sizes',
    title: 'List directory with sizes',
    description:
      'List a directory with sizes and totals, by name or by size, largest first. When truncated is true, call again with cursor = nextCursor.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        sortBy: { enum: ['name', 'size'], description: 'Default name.' },
        cursor: {
          type: 'string',
          description: 'nextCursor, with the same sortBy.',
        },
        limit: {
          type: 'integer',
          minimum: 1,
          description: `Per page. Default and at most ${runner.limits.maxEntries}.`,
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string' },
        path: { type: 'string' },
        entries: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              type: { enum: entryTypes },
              size: { type: 'integer' },
              mtime: { type: 'string' },
            },
            required: ['name', 'type', 'size'],
          },
        },
        totals: {
          type: 'object',
          properties: {
            files: { type: 'integer' },
            directories: { type: 'integer' },
            bytes: { type: 'integer' },
          },
          required: ['files', 'directories', 'bytes'],
        },
        truncated: { type: 'boolean' },
        nextCursor: { type: 'string' },
      },
      required: ['content', 'path', 'entries', 'totals', 'truncated'],
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run(
        { tool: 'list_directory_with_sizes', path: args.path },
        context,
        async ({ sandbox, signal, scanned }) => {
          await using directory = await pinDirectory(sandbox, args.path, 'use get_file_info');
          const { realPath } = directory;
          const listing = await listSizes(directory, {
            limit: Math.min(args.limit ?? runner.limits.maxEntries, runner.limits.maxEntries),
            maxBytes: Math.floor(runner.limits.maxResultBytes / 3.5),
            compare: args.sortBy === 'size' ? bySize : byName,
            isHidden: (name) => sandbox.isDenied(path.join(realPath, name)),
            targetSize: (name) => sizeOfTarget(sandbox, path.join(realPath, name)),
            signal,
            onScanned: scanned,
            ...(args.cursor === undefined ? {} : { after: decodeCursor(args.cursor) }),
          });
          const last = listing.entries.at(-1);
          const next =
            listing.hasMore && last !== undefined ? { nextCursor: encodeCursor(last) } : {};
          const { entries, totals, hasMore: truncated } = listing;
          const text = textOf(listing);
          return {
            structuredContent: {
              content: text,
              path: realPath,
              entries: entries.map(({ sortSize: _sortSize, ...entry }) => entry),
              totals,
              truncated,
              ...next,
            },
            content: withMoreNote(text, truncated),
          };
        },
      ),
  });
}

async function sizeOfTarget(sandbox: Sandbox, link: string): Promise<number> {
  try {
    await using target = await sandbox.pin(link);
    return target.stats.size;
  } catch {
    return 0;
  }
}

/**
 * The order of `localeCompare` in the locale of this process, as in the official server. Created by the
 * first list: it loads tables that take megabytes.
 */
let collator: Intl.Collator | undefined;

function byName(left: SizedEntry, right: SizedEntry): number {
  collator ??= new Intl.Collator();
  return collator.compare(left.name, right.name) || byCodePoint(left.name, right.name);
}

function bySize(left: SizedEntry, right: SizedEntry): number {
  return right.sortSize - left.sortSize || byCodePoint(left.name, right.name);
}

/** Returns a cursor with the size and name of the last entry of a page. */
function encodeCursor({ sortSize, name }: SizedEntry): string {
  return encodeNameCursor(`${sortSize}/${name}`);
}

function decodeCursor(cursor: string): SizedEntry {
  const [, size, name] = /^(\d+)\/([\s\S]+)$/.exec(decodeNameCursor(cursor)) ?? [];
  if (size === undefined || name === undefined)
    throw new PathError(
      'invalid',
      'This tool did not issue the cursor. Omit it to start from the beginning.',
    );
  return { name, size: 0, sortSize: Number(size), type: 'file' };
}

function textOf({ entries, totals }: SizedListing): string {
  return [
    ...entries.map(
      (entry) => `${labelOf(entry.type)} ${shownName(entry.name).padEnd(30)} ${sizeOf(entry)}`,
    ),
    '',
    `Total: ${totals.files} files, ${totals.directories} directories`,
    `Combined size: ${inUnits(totals.bytes)}`,
  ].join('\n');
}

/** Formats the size of an entry: a question mark when unknown, empty for a directory. */
function sizeOf({ type, size, mtime }: SizedEntry): string {
  if (type === 'directory') return '';
  return (mtime === undefined ? '?' : inUnits(size)).padStart(10);
}

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats bytes in units of powers of 1024. */
function inUnits(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(2)} ${units[power]}`;
}
