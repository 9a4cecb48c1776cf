import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import type { ToolRunner } from './tool-runner.ts';

export function listAllowedDirectoriesTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'list_allowed_directories',
    title: 'List allowed directories',
    description:
      'List the directories that this server may access. Relative paths in other tools start at the first one.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string' },
        directories: { type: 'array', items: { type: 'string' } },
        source: { enum: ['cli', 'roots'] },
      },
      required: ['content', 'directories', 'source'],
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (_args, context) =>
      runner.run({ tool: 'list_allowed_directories', path: '.' }, context, async ({ sandbox }) => {
        const directories = sandbox.directories.map((directory) => directory.path);
        const text = `Allowed directories:\n${directories.join('\n')}`;
        return {
          structuredContent: { content: text, directories, source: sandbox.source },
          content: text,
        };
      }),
  });
}
