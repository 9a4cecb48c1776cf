import { escapeMarks, pinDirectory } from '@signalbox/file-sandbox';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { unreadRulesNote } from '../files/gitignore.ts';
import { directoryTree } from '../files/directory-tree.ts';
import type { ToolRunner } from './tool-runner.ts';

export function directoryTreeTool(runner: ToolRunner): ToolDefinition {
  const { maxEntries, maxResultBytes } = runner.limits;
  return defineTool({
    name: 'directory_tree',
    title: 'Directory tree',
    description:
      'The tree below a directory as JSON. Over the limits it is complete at its top, and directories say how many entries were omitted (-1: not opened).',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        excludePatterns: {
          type: 'array',
          maxItems: 100,
          items: { type: 'string', minLength: 1, maxLength: 1000 },
          description: 'Names or globs to leave out.',
        },
        maxDepth: {
          type: 'integer',
          minimum: 1,
          maximum: 100,
          description: 'Levels. Default 100.',
        },
        maxEntries: {
          type: 'integer',
          minimum: 1,
          description: `Default and at most ${maxEntries}.`,
        },
        respectGitignore: { type: 'boolean' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string' },
        path: { type: 'string' },
        tree: { type: 'array', items: { type: 'object' } },
        truncated: { type: 'boolean' },
        counts: {
          type: 'object',
          properties: {
            files: { type: 'integer' },
            directories: { type: 'integer' },
            omitted: { type: 'integer' },
            unopened: { type: 'integer' },
            unreadable: { type: 'integer' },
          },
        },
      },
      required: ['content', 'path', 'tree', 'truncated', 'counts'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run(
        { tool: 'directory_tree', path: args.path },
        context,
        async ({ sandbox, signal, scanned }) => {
          await using directory = await pinDirectory(sandbox, args.path);
          const options = {
            excludePatterns: args.excludePatterns ?? [],
            maxDepth: args.maxDepth ?? 100,
            maxEntries: Math.min(args.maxEntries ?? maxEntries, maxEntries),
            respectGitignore: args.respectGitignore ?? false,
            // A result has the tree as text, as an escaped JSON string, and as JSON.
            maxBytes: Math.floor(maxResultBytes / 4),
          };
          const { unreadRules, ...outcome } = await directoryTree(directory, options, {
            sandbox,
            signal,
            onScanned: scanned,
          });
          const text = escapeMarks(JSON.stringify(outcome.tree, withOfficialType, 2));
          const { omitted, unopened } = outcome.counts;
          const note = outcome.truncated
            ? [
                {
                  type: 'text' as const,
                  text: `[Truncated: ${omitted} entries are omitted, ${unopened} directories were not opened. Narrow path, or set excludePatterns or maxDepth.]`,
                },
              ]
            : [];
          const rules = unreadRulesNote(unreadRules);
          if (rules !== undefined) note.push({ type: 'text' as const, text: rules });
          return {
            content: [{ type: 'text', text }, ...note],
            structuredContent: {
              content: text,
              path: directory.realPath,
              ...outcome,
              tree: outcome.tree.map((node) => ({ ...node })),
            },
          };
        },
      ),
  });
}

/** Names the types of the official server, for which everything but a directory is a file. */
function withOfficialType(key: string, value: unknown): unknown {
  return key === 'type' && value !== 'directory' ? 'file' : value;
}
