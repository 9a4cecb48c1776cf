import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { deletePath, deletionImpact } from '../files/delete-path.ts';
import type { ToolRunner } from './tool-runner.ts';

export function deleteFileTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'delete_file',
    title: 'Delete',
    description:
      'Delete a file, a link itself or an empty directory for good; with recursive a directory and everything in it, after confirmation: ' +
      'when asked for a confirmToken, ask the user and call again with it.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        recursive: { type: 'boolean' },
        confirmToken: { type: 'string', description: 'From the answer that asks for it.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, removed: { type: 'integer' } },
      required: ['path', 'removed'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    handler: (args, context) =>
      runner.run({ tool: 'delete_file', path: args.path }, context, async ({ sandbox, signal, scanned }) => {
        const { path, recursive = false, confirmToken } = args;
        const impact = recursive ? await deletionImpact(sandbox, path, { signal, onEntries: () => {} }) : undefined;
        if (impact !== undefined) {
          await runner.confirm(context, {
            tool: 'delete_file',
            arguments: { path, recursive },
            impact: `${sandbox.resolve(path)} with ${impact.files} files and ${impact.directories} directories in it is deleted for good.`,
            ...(confirmToken === undefined ? {} : { confirmToken }),
          });
        }
        const removed = await deletePath(sandbox, { path, recursive }, { signal, onEntries: (count) => scanned(count, `${count} removed`) });
        return { structuredContent: { path: sandbox.resolve(path), removed }, text: `Deleted ${path} (${removed} ${removed === 1 ? 'entry' : 'entries'}).` };
      }),
  });
}
