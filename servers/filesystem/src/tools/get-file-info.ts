import { constants, type Stats } from 'node:fs';
import {
  hashOfFile,
  PathError,
  type PinnedPath,
  readSymbolicLink,
  type Sandbox,
} from '@signalbox/file-sandbox';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { fileTime } from '@signalbox/server-kit';
import { entryTypes, type EntryType } from '../files/entry-type.ts';
import { requireRegularFile } from '../files/read-text.ts';
import { directoryMimeType, mimeTypeOf } from '../resources/mime-type.ts';
import type { ToolRunner } from './tool-runner.ts';

export function getFileInfoTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'get_file_info',
    title: 'Get file info',
    description:
      'Size, type, times, permissions and MIME type of a path. Set hash for the SHA-256 of a file.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        hash: { type: 'boolean', description: 'Read the whole file for its hash. Default false.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string' },
        path: { type: 'string' },
        size: { type: 'integer' },
        type: { enum: entryTypes },
        mode: { type: 'string' },
        created: { type: 'string' },
        modified: { type: 'string' },
        accessed: { type: 'string' },
        isSymlink: { type: 'boolean' },
        target: { type: 'string' },
        mimeType: { type: 'string' },
        hash: { type: 'string' },
      },
      required: [
        'content',
        'path',
        'size',
        'type',
        'mode',
        'created',
        'modified',
        'accessed',
        'isSymlink',
      ],
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run(
        { tool: 'get_file_info', path: args.path },
        context,
        async ({ sandbox, signal, scanned }) => {
          await using file = await sandbox.pin(args.path);
          const target = await linkTarget(sandbox, args.path);
          const { stats } = file;
          const mimeType = stats.isDirectory() ? directoryMimeType : mimeTypeOf(file.realPath);
          const { size } = stats;
          const created = fileTime(stats.birthtimeMs);
          const modified = fileTime(stats.mtimeMs);
          const accessed = fileTime(stats.atimeMs);
          const hash =
            args.hash === true ? { hash: await hashOf(file, { signal, onScanned: scanned }) } : {};
          const info = {
            size,
            created: created.toISOString(),
            modified: modified.toISOString(),
            accessed: accessed.toISOString(),
            type: typeOf(stats),
            mode: (stats.mode & 0o7777).toString(8).padStart(3, '0'),
            isSymlink: target !== undefined,
            ...(target === undefined ? {} : { target }),
            ...(mimeType === undefined ? {} : { mimeType }),
            ...hash,
          };
          const text = textOf({
            size,
            created,
            modified,
            accessed,
            isDirectory: stats.isDirectory(),
            isFile: stats.isFile(),
            permissions: info.mode.slice(-3),
            ...hash,
          });
          return {
            structuredContent: { content: text, path: file.realPath, ...info },
            content: text,
          };
        },
      ),
  });
}

async function hashOf(
  file: PinnedPath,
  options: Parameters<typeof hashOfFile>[1],
): Promise<string> {
  requireRegularFile(file);
  await using handle = await file.open(constants.O_RDONLY);
  return await hashOfFile(handle, options);
}

/** Returns the target of the path when it is a symbolic link. */
async function linkTarget(sandbox: Sandbox, input: string): Promise<string | undefined> {
  try {
    const { directory, name, stats } = await sandbox.entry(input);
    await using place = directory;
    return stats.isSymbolicLink() ? await readSymbolicLink({ directory: place, name }) : undefined;
  } catch (error) {
    // An allowed directory is not an entry of an allowed directory.
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

function typeOf(stats: Stats): EntryType {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'directory' : 'other';
}

/** Formats the facts as the official server does, with dates as JavaScript prints them. */
function textOf(facts: { readonly [name: string]: string | number | boolean | Date }): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');
}
