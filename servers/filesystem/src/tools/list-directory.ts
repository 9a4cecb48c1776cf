import path from 'node:path';
import { pinDirectory, shownName } from '@signalbox/file-sandbox';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { entryTypes, type EntryType } from '../files/entry-type.ts';
import { listEntries, type ListedEntry } from '../files/list-entries.ts';
import { decodeNameCursor, encodeNameCursor } from '../files/name-cursor.ts';
import type { ToolRunner } from './tool-runner.ts';

export function listDirectoryTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'list_directory',
    title: 'List directory',
    description:
      'List a directory by name, with types. When truncated is true, call again with cursor = nextCursor.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Absolute, relative or file:// path.' },
        cursor: { type: 'string', description: 'nextCursor of a page.' },
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
            properties: { name: { type: 'string' }, type: { enum: entryTypes } },
            required: ['name', 'type'],
          },
        },
        truncated: { type: 'boolean' },
        nextCursor: { type: 'string' },
      },
      required: ['content', 'path', 'entries', 'truncated'],
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run(
        { tool: 'list_directory', path: args.path },
        context,
        async ({ sandbox, signal }) => {
          await using directory = await pinDirectory(sandbox, args.path, 'use read_text_file');
          const limit = Math.min(args.limit ?? runner.limits.maxEntries, runner.limits.maxEntries);
          const after = args.cursor === undefined ? {} : { after: decodeNameCursor(args.cursor) };
          const isHidden = (name: string) => sandbox.isDenied(path.join(directory.realPath, name));
          // A result has the names three times: as text, and twice structured, in the forms that
          // clients of other filesystem servers and of ours read.
          const maxBytes = Math.floor(runner.limits.maxResultBytes / 3.5);
          const { entries, hasMore } = await listEntries(directory, {
            limit,
            ...after,
            isHidden,
            maxBytes,
            signal,
          });
          const last = entries.at(-1);
          const next =
            hasMore && last !== undefined ? { nextCursor: encodeNameCursor(last.name) } : {};
          const text = entries.map(line).join('\n');
          return {
            structuredContent: {
              content: text,
              path: directory.realPath,
              entries,
              truncated: hasMore,
              ...next,
            },
            content: withMoreNote(text, hasMore),
          };
        },
      ),
  });
}

function line({ name, type }: ListedEntry): string {
  return `${labelOf(type)} ${shownName(name)}`;
}

/** Label of the official server, for which everything but a directory is a file. */
export function labelOf(type: EntryType): '[DIR]' | '[FILE]' {
  return type === 'directory' ? '[DIR]' : '[FILE]';
}

/** Adds a note to the text of a listing as a second block. */
export function withMoreNote(
  text: string,
  hasMore: boolean,
): readonly { readonly type: 'text'; readonly text: string }[] {
  const note = { type: 'text', text: '[More entries follow: call again with cursor.]' } as const;
  return [{ type: 'text', text }, ...(hasMore ? [note] : [])];
}
