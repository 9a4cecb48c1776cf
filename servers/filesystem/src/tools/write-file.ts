import { ToolError } from '@signalbox/mcp-core';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { writeAtomically } from '../files/write-atomically.ts';
import type { ToolRunner } from './tool-runner.ts';

export function writeFileTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'write_file',
    title: 'Write file',
    description:
      'Create a file or replace the whole content of an existing one with UTF-8 text. The old content is lost. ' +
      'Readers see the old or the new content, never a part. Set createParents to create missing directories.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Absolute, relative or file:// path of the file.' },
        content: { type: 'string', description: 'The complete new content.' },
        createParents: { type: 'boolean', description: 'Create missing parent directories. Default false.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, bytes: { type: 'integer' }, created: { type: 'boolean' } },
      required: ['path', 'bytes', 'created'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    handler: (args, context) =>
      runner.run({ tool: 'write_file', path: args.path }, context, async ({ sandbox, signal }) => {
        if (!args.content.isWellFormed()) throw new ToolError('content has half of a surrogate pair, which UTF-8 cannot hold. Nothing was written.');
        const content = Buffer.from(args.content);
        const { realPath, created } = await writeAtomically(sandbox, { path: args.path, content }, { createParents: args.createParents ?? false, signal });
        return {
          structuredContent: { path: realPath, bytes: content.length, created },
          text: `${created ? 'Created' : 'Replaced'} ${realPath} (${content.length} bytes).`,
        };
      }),
  });
}
