import { PathError, shownName } from '@signalbox/file-sandbox';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { deletePath, deletionImpact } from '../files/delete-path.ts';
import type { TreeSummary } from '../files/tree-summary.ts';
import { requireEntry } from './require-entry.ts';
import { tokenSchema, type ToolRunner } from './tool-runner.ts';

export function deleteFileTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'delete_file',
    title: 'Delete',
    description:
      'Delete a file, a link itself or an empty directory for good; with recursive a directory and everything in it, after confirmation: ' +
      'when given a confirmToken, ask the user and call again with it.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        recursive: { type: 'boolean' },
        confirmToken: tokenSchema,
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
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run(
        { tool: 'delete_file', path: args.path },
        context,
        async ({ sandbox, signal, scanned }) => {
          const { path, recursive = false } = args;
          const countImpact = async () =>
            recursive
              ? await deletionImpact(sandbox, path, { signal, onEntries: () => {} })
              : undefined;
          // The impact that the user saw, also when the handler runs again with the answer.
          const impact =
            (await context.once('impact', async () => (await countImpact()) ?? null)) ?? undefined;
          if (runner.confirmsRoutine) await requireEntry(sandbox, path);
          await runner.confirm(context, {
            tool: 'delete_file',
            // The confirmation is valid for the shown number of entries.
            arguments: {
              path,
              recursive,
              ...(impact === undefined
                ? {}
                : { files: impact.files, directories: impact.directories }),
            },
            impact: impactText(sandbox.resolve(path), impact),
            confirmToken: args.confirmToken,
            isRoutine: impact === undefined,
          });
          if (impact !== undefined && hasGrown(impact, await countImpact())) {
            throw new PathError(
              'refused',
              `${path} has got more entries since the deletion was confirmed; nothing was removed. Call again.`,
            );
          }
          const removed = await deletePath(
            sandbox,
            { path, recursive },
            { signal, onEntries: (count) => scanned(count, `${count} removed`) },
          );
          return {
            structuredContent: { path: sandbox.resolve(path), removed },
            content: `Deleted ${shownName(path)} (${removed} ${removed === 1 ? 'entry' : 'entries'}).`,
          };
        },
      ),
  });
}

function impactText(resolved: string, impact: TreeSummary | undefined): string {
  if (impact === undefined) return `${resolved} is deleted for good.`;
  return `${resolved} with ${impact.files} files and ${impact.directories} directories in it is deleted for good.`;
}

function hasGrown(before: TreeSummary, now: TreeSummary | undefined): boolean {
  return now !== undefined && (now.files > before.files || now.directories > before.directories);
}
