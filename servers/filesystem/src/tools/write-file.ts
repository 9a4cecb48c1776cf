import {
  hashOf,
  PathError,
  type Sandbox,
  shownName,
  writeAtomically,
} from '@signalbox/file-sandbox';
import {
  defineTool,
  type InteractiveContext,
  type ToolDefinition,
} from '@signalbox/mcp-core/server';
import { encodeText } from '../files/text-encoding.ts';
import { tokenSchema, type ToolRunner } from './tool-runner.ts';

export function writeFileTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'write_file',
    title: 'Write file',
    description:
      'Create a file or replace the whole content of an existing one, in one step, with UTF-8 text. The old content is lost.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        createParents: {
          type: 'boolean',
          description: 'Create missing directories. Default false.',
        },
        expectedHash: {
          type: 'string',
          description: 'Write only if the file still has this hash of a read or write.',
        },
        confirmToken: tokenSchema,
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string' },
        path: { type: 'string' },
        bytes: { type: 'integer' },
        created: { type: 'boolean' },
        hash: { type: 'string' },
      },
      required: ['content', 'path', 'bytes', 'created', 'hash'],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run({ tool: 'write_file', path: args.path }, context, async ({ sandbox, signal }) => {
        const content = encodeText(args.content, { encoding: 'utf-8', bom: false });
        const { createParents = false, expectedHash } = args;
        const isKnown =
          runner.confirmsRoutine && (await confirmReplacement(runner, context, { sandbox, args }));
        const options = {
          createParents,
          expectedHash,
          signal,
          onlyNew: runner.confirmsRoutine && !isKnown,
        };
        const text = `Successfully wrote to ${shownName(args.path)}`;
        const { realPath, created, hash } = await writeAtomically(
          sandbox,
          { path: args.path, content },
          options,
        );
        return {
          structuredContent: {
            content: text,
            path: realPath,
            bytes: content.length,
            created,
            hash,
          },
          content: text,
        };
      }),
  });
}

interface Replacement {
  readonly sandbox: Sandbox;
  readonly args: {
    readonly path: string;
    readonly content: string;
    readonly confirmToken?: string;
  };
}

/** Asks before an existing file is replaced. Returns whether there is one. */
async function confirmReplacement(
  runner: ToolRunner,
  context: InteractiveContext,
  { sandbox, args }: Replacement,
): Promise<boolean> {
  const file = await sandbox.pin(args.path).catch((error: unknown) => {
    if (error instanceof PathError && error.reason === 'not-found') return undefined;
    throw error;
  });
  if (file === undefined) return false;
  await file.close();
  await runner.confirm(context, {
    tool: 'write_file',
    arguments: { path: args.path, content: hashOf(Buffer.from(args.content)) },
    impact: `The content of ${file.realPath} (${file.stats.size} bytes) is replaced.`,
    confirmToken: args.confirmToken,
    isRoutine: true,
  });
  return true;
}
