import { PathError, shownName } from '@signalbox/file-sandbox';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import type { ToolRunner } from './tool-runner.ts';

export function createDirectoryTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'create_directory',
    title: 'Create directory',
    description: 'Create a directory and its missing parents. Succeeds if it exists.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string' },
        path: { type: 'string' },
        created: { type: 'boolean' },
      },
      required: ['content', 'path', 'created'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run(
        { tool: 'create_directory', path: args.path },
        context,
        async ({ sandbox, signal }) => {
          signal.throwIfAborted();
          const { directory, created } = await sandbox.makeDirectories(args.path);
          await using made = directory;
          if (!made.stats.isDirectory())
            throw new PathError('wrong-type', `${args.path} exists and is not a directory.`);
          const text = `Successfully created directory ${shownName(args.path)}`;
          return {
            structuredContent: { content: text, path: made.realPath, created: created > 0 },
            content: text,
          };
        },
      ),
  });
}
