import { PathError, shownName, toPathError } from '@signalbox/file-sandbox';
import { ToolError } from '@signalbox/mcp-core';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { jsonBytes, type Limits } from '../files/limits.ts';
import { readText } from '../files/read-text.ts';
import { pathErrorText } from './path-error-text.ts';
import type { RunningCall, ToolRunner } from './tool-runner.ts';

const maxPaths = 50;

export function readMultipleFilesTool(runner: ToolRunner): ToolDefinition {
  return defineTool({
    name: 'read_multiple_files',
    title: 'Read multiple files',
    description:
      'Read several text files within one size limit; a file that cannot be read does not fail the others. When truncated is true, continue with read_text_file and offset = nextOffset.',
    inputSchema: {
      type: 'object',
      properties: {
        paths: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          maxItems: maxPaths,
          description: 'Absolute, relative or file:// paths.',
        },
        head: { type: 'integer', minimum: 1, description: 'First lines of each.' },
        limit: { type: 'integer', minimum: 1, description: 'The same as head.' },
      },
      required: ['paths'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        content: { type: 'string' },
        results: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              path: { type: 'string' },
              ok: { type: 'boolean' },
              content: { type: 'string' },
              truncated: { type: 'boolean' },
              nextOffset: { type: 'integer' },
              nextColumn: { type: 'integer' },
              error: { type: 'string' },
            },
            required: ['path', 'ok', 'truncated'],
          },
        },
      },
      required: ['content', 'results'],
    },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (args, context) =>
      runner.run(
        { tool: 'read_multiple_files', path: args.paths[0] ?? '.' },
        context,
        async (call) => {
          const limit = Math.min(args.head ?? Infinity, args.limit ?? Infinity);
          let maxBytes = runner.limits.maxReadBytes;
          for (;;) {
            const results = await readAll(args.paths, call, {
              limit,
              maxBytes,
              limits: runner.limits,
            });
            const text = results.map(textOf).join('\n---\n');
            // A result has the contents three times: as text, and twice structured, in the forms
            // that clients of other filesystem servers and of ours read.
            if (3 * jsonBytes(text) <= runner.limits.maxResultBytes - 4096)
              return { structuredContent: { content: text, results }, content: text };
            if (maxBytes <= minBytes || results.every(({ content = '' }) => content === ''))
              throw new ToolError(
                'The paths and errors alone are longer than one result may be. Ask for fewer files at once.',
              );
            maxBytes = Math.floor(maxBytes / 2);
          }
        },
      ),
  });
}

/** Content bytes below which a retry cannot help: paths and errors take most of the result. */
const minBytes = 256;

interface FileResult {
  readonly path: string;
  readonly ok: boolean;
  readonly truncated: boolean;
  readonly content?: string;
  readonly nextOffset?: number;
  readonly nextColumn?: number;
  readonly error?: string;
}

interface SharedBudget {
  readonly limit: number;
  readonly maxBytes: number;
  readonly limits: Limits;
}

/** Reads all files. A short file leaves its share of the limit to the files after it. */
async function readAll(
  paths: readonly string[],
  call: RunningCall,
  { limit, maxBytes, limits }: SharedBudget,
): Promise<readonly FileResult[]> {
  const results: FileResult[] = [];
  let left = maxBytes;
  for (const [index, path] of paths.entries()) {
    const share = Math.max(1, Math.floor(left / (paths.length - index)));
    const result = await readOne(path, call, { limit, maxBytes: share, limits });
    left -= Math.min(share, result.content?.length ?? 0);
    results.push(result);
    call.scanned(index + 1);
  }
  return results;
}

async function readOne(
  path: string,
  { sandbox, signal }: RunningCall,
  { limit, maxBytes, limits }: SharedBudget,
): Promise<FileResult> {
  try {
    await using file = await sandbox.pin(path);
    const options = {
      range: { kind: 'from', offset: 1, limit },
      maxBytes,
      maxResultBytes: limits.maxResultBytes,
      signal,
      onScanned: () => undefined,
    } as const;
    const { content, truncated, nextOffset, nextColumn } = await readText(file, options);
    return {
      path,
      ok: true,
      content,
      truncated,
      ...(nextOffset === undefined ? {} : { nextOffset }),
      ...(nextColumn === undefined ? {} : { nextColumn }),
    };
  } catch (error) {
    signal.throwIfAborted();
    const failure = toPathError(error, path);
    if (failure instanceof PathError)
      return { path, ok: false, truncated: false, error: pathErrorText(failure) };
    throw error;
  }
}

function textOf({
  path,
  ok,
  content = '',
  truncated,
  nextOffset,
  nextColumn,
  error = '',
}: FileResult): string {
  const name = shownName(path);
  if (!ok) return `${name}: Error - ${error}`;
  return `${name}:\n${content}\n${truncated ? `[Truncated: continue with read_text_file, offset ${nextOffset ?? 1}${nextColumn === undefined ? '' : ` and column ${nextColumn}`}.]\n` : ''}`;
}
