import { shownName } from '@signalbox/file-sandbox';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { movePath } from '../files/move-path.ts';
import { requireEntry } from './require-entry.ts';
import { tokenSchema, type ToolRunner } from './tool-runner.ts';

export function moveFileTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'move_file',
    title: 'Move or rename',
    description:
      'Move or rename a file or directory. Nothing is ever overwritten: the destination must not exist, its parent must.',
    inputSchema: {
      type: 'object',
      properties: {
        source: { type: 'string' },
        destination: { type: 'string', description: 'The new path, name included.' },
        confirmToken: tokenSchema,
      },
      required: ['source', 'destination'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string' },
        source: { type: 'string' },
        destination: { type: 'string' },
      },
      required: ['content', 'source', 'destination'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run({ tool: 'move_file', path: args.source }, context, async ({ sandbox, signal }) => {
        if (runner.confirmsRoutine) await requireEntry(sandbox, args.source);
        await runner.confirm(context, {
          tool: 'move_file',
          arguments: { source: args.source, destination: args.destination },
          impact: `${sandbox.resolve(args.source)} is moved to ${sandbox.resolve(args.destination)}.`,
          confirmToken: args.confirmToken,
          isRoutine: true,
        });
        const { source, destination } = await movePath(sandbox, args, signal);
        const text = `Successfully moved ${shownName(args.source)} to ${shownName(args.destination)}`;
        return { structuredContent: { content: text, source, destination }, content: text };
      }),
  });
}
