import { hashOf, type Sandbox } from '@signalbox/file-sandbox';
import {
  defineTool,
  type InteractiveContext,
  type ToolDefinition,
} from '@signalbox/mcp-core/server';
import { editFile } from '../files/edit-file.ts';
import { jsonBytes } from '../files/limits.ts';
import { lineEndings } from '../files/text-encoding.ts';
import { tokenSchema, type ToolRunner } from './tool-runner.ts';

export function editFileTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'edit_file',
    title: 'Edit file',
    description:
      'Replace pieces of a text file and get the diff. Each oldText must occur once, unless replaceAll. Edits apply in order, all or none. ' +
      'dryRun only shows the diff.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        edits: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              oldText: { type: 'string', description: 'Text of the file, with its indentation.' },
              newText: { type: 'string' },
              replaceAll: { type: 'boolean' },
            },
            required: ['oldText', 'newText'],
            additionalProperties: false,
          },
        },
        dryRun: { type: 'boolean' },
        expectedHash: { type: 'string', description: 'Edit only if the file still has this hash.' },
        confirmToken: tokenSchema,
      },
      required: ['path', 'edits'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string' },
        path: { type: 'string' },
        diff: { type: 'string' },
        diffTruncated: { type: 'boolean' },
        replacements: { type: 'integer' },
        hash: { type: 'string' },
        eol: { enum: lineEndings },
      },
      required: ['content', 'path', 'diff', 'replacements', 'hash', 'eol'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run({ tool: 'edit_file', path: args.path }, context, async ({ sandbox, signal }) => {
        const { dryRun = false, expectedHash } = args;
        if (!dryRun && runner.confirmsRoutine)
          await confirmEdit(runner, context, { sandbox, args });
        const edited = await editFile(
          sandbox,
          { path: args.path, edits: args.edits },
          { dryRun, expectedHash, signal },
        );
        // The text, and the diff twice structured.
        const diff = cut(edited.diff, (runner.limits.maxResultBytes - 8192) / 3);
        const isCut = diff.length < edited.diff.length;
        const text = `${fenced(diff)}${isCut ? '[The diff is longer.]\n' : ''}`;
        return {
          structuredContent: {
            content: text,
            path: edited.realPath,
            diff,
            ...(isCut ? { diffTruncated: true } : {}),
            replacements: edited.replacements,
            hash: edited.hash,
            eol: edited.eol,
          },
          content: text,
        };
      }),
  });
}

interface ConfirmedEdit {
  readonly sandbox: Sandbox;
  readonly args: {
    readonly path: string;
    readonly edits: readonly object[];
    readonly confirmToken?: string;
  };
}

async function confirmEdit(
  runner: ToolRunner,
  context: InteractiveContext,
  { sandbox, args }: ConfirmedEdit,
): Promise<void> {
  const { path, edits } = args;
  await using file = await sandbox.pin(path);
  await runner.confirm(context, {
    tool: 'edit_file',
    arguments: { path, edits: hashOf(Buffer.from(JSON.stringify(edits))) },
    impact: `${file.realPath} is changed by ${edits.length} ${edits.length === 1 ? 'edit' : 'edits'}.`,
    confirmToken: args.confirmToken,
    isRoutine: true,
  });
}

/** Returns the first lines whose JSON takes at most `maxJsonBytes`. */
function cut(diff: string, maxJsonBytes: number): string {
  if (jsonBytes(diff) <= maxJsonBytes) return diff;
  // A character takes at most six bytes in JSON.
  let end = Math.max(Math.floor(maxJsonBytes / 6), 1);
  for (
    let next = end * 2;
    next < diff.length && jsonBytes(diff.slice(0, next)) <= maxJsonBytes;
    next *= 2
  )
    end = next;
  return diff.slice(0, diff.lastIndexOf('\n', end) + 1);
}

/** Wraps a diff in a fence longer than any fence in it. */
function fenced(diff: string): string {
  const longest = Math.max(2, ...Array.from(diff.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${diff}${fence}\n\n`;
}
