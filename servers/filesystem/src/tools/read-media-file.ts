import { pathToFileURL } from 'node:url';
import type { ContentBlock } from '@signalbox/mcp-core';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { hasMediaName, mediaTypeOf } from '../files/media-type.ts';
import { readBounded } from '../files/read-bounded.ts';
import { requireRegularFile } from '../files/read-text.ts';
import { mimeTypeOf } from '../resources/mime-type.ts';
import type { ToolRunner } from './tool-runner.ts';

export function readMediaFileTool(runner: ToolRunner): ToolDefinition {
  const mostBytes = largestFile(runner.limits.maxResultBytes);
  return defineTool({
    name: 'read_media_file',
    title: 'Read media file',
    description: `Read an image, a sound or any other binary file as base64. A file of more than ${mostBytes} bytes is returned as a link to its resource.`,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        maxBytes: {
          type: 'integer',
          minimum: 1,
          description: `Return a link instead of a longer file. Default and at most ${mostBytes}.`,
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        content: { type: 'array', items: { type: 'object' } },
        path: { type: 'string' },
        size: { type: 'integer' },
        truncated: { type: 'boolean' },
      },
      required: ['content', 'path', 'size', 'truncated'],
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run({ tool: 'read_media_file', path: args.path }, context, async ({ sandbox }) => {
        await using file = await sandbox.pin(args.path);
        requireRegularFile(file);
        const { bytes, hasMore } = await readBounded(
          file,
          Math.min(args.maxBytes ?? mostBytes, mostBytes),
        );
        const { realPath, stats } = file;
        const block = hasMore ? linkTo(realPath, stats.size, bytes) : contentOf(realPath, bytes);
        const note = hasMore
          ? [
              {
                type: 'text' as const,
                text: `${realPath} has ${stats.size} bytes, more than one result may carry. Read it as the resource of the link, if your host can.`,
              },
            ]
          : [];
        return {
          content: [block, ...note],
          structuredContent: {
            content: [block],
            path: realPath,
            size: hasMore ? stats.size : bytes.length,
            truncated: hasMore,
          },
        };
      }),
  });
}

/**
 * Returns the size of the largest file that fits: its base64 is a third longer, and is in `content`
 * and in `structuredContent`.
 */
function largestFile(maxResultBytes: number): number {
  return Math.floor(((maxResultBytes - 4096) / 2 / 4) * 3);
}

function contentOf(
  realPath: string,
  bytes: Buffer,
): ContentBlock & { readonly [member: string]: unknown } {
  const data = bytes.toString('base64');
  const mimeType = mediaTypeOf(realPath, bytes);
  if (mimeType?.startsWith('image/') === true) return { type: 'image', data, mimeType };
  if (mimeType !== undefined) return { type: 'audio', data, mimeType };
  return {
    type: 'resource',
    resource: { uri: pathToFileURL(realPath).href, mimeType: typeByName(realPath), blob: data },
  };
}

function linkTo(
  realPath: string,
  size: number,
  start: Buffer,
): ContentBlock & { readonly [member: string]: unknown } {
  const mimeType = mediaTypeOf(realPath, start) ?? typeByName(realPath);
  return {
    type: 'resource_link',
    uri: pathToFileURL(realPath).href,
    name: realPath,
    mimeType,
    size,
  };
}

/** Returns the MIME type by name for a file whose content is neither image nor sound. */
function typeByName(realPath: string): string {
  return (hasMediaName(realPath) ? undefined : mimeTypeOf(realPath)) ?? 'application/octet-stream';
}
