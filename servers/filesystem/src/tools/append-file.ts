import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { appendFile } from '../files/append-file.ts';
import { encodeText } from '../files/text-encoding.ts';
import type { ToolRunner } from './tool-runner.ts';

export function appendFileTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'append_file',
    title: 'Append to file',
    description: 'Add UTF-8 text at the end of a file. No line end is added.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        createIfMissing: { type: 'boolean' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, bytes: { type: 'integer' }, size: { type: 'integer' }, created: { type: 'boolean' } },
      required: ['path', 'bytes', 'size', 'created'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    handler: (args, context) =>
      runner.run({ tool: 'append_file', path: args.path }, context, async ({ sandbox, signal }) => {
        const content = encodeText(args.content, { encoding: 'utf-8', bom: false });
        const { realPath, created, size } = await appendFile(sandbox, { path: args.path, content }, { createIfMissing: args.createIfMissing ?? false, signal });
        return {
          structuredContent: { path: realPath, bytes: content.length, size, created },
          text: `Appended ${content.length} bytes to ${realPath} (${size} bytes).`,
        };
      }),
  });
}
