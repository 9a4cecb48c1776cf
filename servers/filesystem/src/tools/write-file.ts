import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { encodeText } from '../files/text-encoding.ts';
import { writeAtomically } from '../files/write-atomically.ts';
import type { ToolRunner } from './tool-runner.ts';

export function writeFileTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'write_file',
    title: 'Write file',
    description:
      'Create a file or replace the whole content of an existing one, in one step, with UTF-8 text. The old content is lost.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Absolute, relative or file:// path.' },
        content: { type: 'string' },
        createParents: { type: 'boolean', description: 'Create missing directories. Default false.' },
        expectedHash: { type: 'string', description: 'Write only if the file still has this hash of a read or write.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, bytes: { type: 'integer' }, created: { type: 'boolean' }, hash: { type: 'string' } },
      required: ['path', 'bytes', 'created', 'hash'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    handler: (args, context) =>
      runner.run({ tool: 'write_file', path: args.path }, context, async ({ sandbox, signal }) => {
        const content = encodeText(args.content, { encoding: 'utf-8', bom: false });
        const { createParents = false, expectedHash } = args;
        const { realPath, created, hash } = await writeAtomically(sandbox, { path: args.path, content }, { createParents, expectedHash, signal });
        return {
          structuredContent: { path: realPath, bytes: content.length, created, hash },
          text: `${created ? 'Created' : 'Replaced'} ${realPath} (${content.length} bytes).`,
        };
      }),
  });
}
