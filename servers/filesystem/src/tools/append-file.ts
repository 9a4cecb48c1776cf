import { hashOf, shownName } from '@signalbox/file-sandbox';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { appendFile } from '../files/append-file.ts';
import { requireEntry } from './require-entry.ts';
import { tokenSchema, type ToolRunner } from './tool-runner.ts';

export function appendFileTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'append_file',
    title: 'Append to file',
    description:
      'Add text at the end of a file, in its encoding (UTF-8 for a new one). No line end is added.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        createIfMissing: { type: 'boolean' },
        confirmToken: tokenSchema,
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        bytes: { type: 'integer' },
        size: { type: 'integer' },
        created: { type: 'boolean' },
      },
      required: ['path', 'bytes', 'size', 'created'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run({ tool: 'append_file', path: args.path }, context, async ({ sandbox, signal }) => {
        const { path, content, createIfMissing = false } = args;
        if (runner.confirmsRoutine) {
          if (!createIfMissing) await requireEntry(sandbox, path);
          await runner.confirm(context, {
            tool: 'append_file',
            arguments: { path, content: hashOf(Buffer.from(content)), createIfMissing },
            impact: `${content.length} characters are added to ${sandbox.resolve(path)}.`,
            confirmToken: args.confirmToken,
            isRoutine: true,
          });
        }
        const { realPath, created, bytes, size } = await appendFile(
          sandbox,
          { path, content },
          { createIfMissing, signal },
        );
        return {
          structuredContent: { path: realPath, bytes, size, created },
          content: `Appended ${bytes} bytes to ${shownName(realPath)} (${size} bytes).`,
        };
      }),
  });
}
