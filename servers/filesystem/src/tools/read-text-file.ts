import { ToolError } from '@signalbox/mcp-core';
import { defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { readText, type LineRange, type TextWindow } from '../files/read-text.ts';
import { lineEndings, textEncodings, type TextEncoding } from '../files/text-encoding.ts';
import type { ToolRunner } from './tool-runner.ts';

export function readTextFileTool(runner: ToolRunner): ToolDefinition {
  return readTool(runner, {
    name: 'read_text_file',
    title: 'Read text file',
    description:
      'Read a text file, whole or in part: head, tail, or offset with limit. Long files come in pieces: when truncated is true, continue with ' +
      'offset = nextOffset. Binary files are refused.',
    outputSchema: windowSchema,
  });
}

/** Returns the tool under its name for older hosts. */
export function readFileTool(runner: ToolRunner): ToolDefinition {
  return readTool(runner, {
    name: 'read_file',
    title: 'Read file (deprecated)',
    description: 'Deprecated: the same as read_text_file.',
    outputSchema: contentSchema,
  });
}

interface ReadToolNames {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly outputSchema: typeof windowSchema | typeof contentSchema;
}

function readTool(
  runner: ToolRunner,
  { name, title, description, outputSchema }: ReadToolNames,
): ToolDefinition {
  return defineTool({
    name,
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Absolute, relative or file:// path.' },
        head: { type: 'integer', minimum: 1, description: 'First lines.' },
        tail: { type: 'integer', minimum: 1, description: 'Last lines.' },
        offset: { type: 'integer', minimum: 1, description: 'First line, from 1.' },
        limit: { type: 'integer', minimum: 1, description: 'Lines from offset.' },
        column: { type: 'integer', minimum: 1, description: 'nextColumn of a cut line.' },
        lineNumbers: { type: 'boolean' },
        encoding: { enum: textEncodings, description: 'Default: detected.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    outputSchema,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: (args: ReadArguments, context) =>
      runner.run({ tool: name, path: args.path }, context, async ({ sandbox, signal, scanned }) => {
        const { maxReadBytes: maxBytes, maxResultBytes } = runner.limits;
        const { encoding, lineNumbers = false } = args;
        const range = lineRange(args);
        await using file = await sandbox.pin(args.path);
        const window = await readText(file, {
          range,
          lineNumbers,
          maxBytes,
          maxResultBytes,
          signal,
          onScanned: scanned,
          ...(encoding === undefined ? {} : { encoding }),
        });
        refusePastEnd(args.offset, window);
        const note = continuation(window);
        const content = linesOf(window, args);
        return {
          content: [
            { type: 'text', text: content },
            ...(note === undefined ? [] : [{ type: 'text' as const, text: note }]),
          ],
          structuredContent: { path: file.realPath, ...window, content },
        };
      }),
  });
}

const windowSchema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    content: { type: 'string' },
    startLine: { type: 'integer' },
    endLine: { type: 'integer' },
    totalLines: { type: 'integer' },
    truncated: { type: 'boolean' },
    nextOffset: { type: 'integer' },
    nextColumn: { type: 'integer' },
    eol: { enum: lineEndings },
    bom: { type: 'boolean' },
    encoding: { enum: textEncodings },
    size: { type: 'integer' },
    hash: { type: 'string' },
  },
  required: ['path', 'content', 'truncated', 'eol', 'bom', 'encoding', 'size'],
} as const;

/** The smaller output schema of the alias, which keeps the list of tools short. */
const contentSchema = {
  type: 'object',
  properties: { content: { type: 'string' } },
  required: ['content'],
} as const;

interface ReadArguments {
  readonly path: string;
  readonly head?: number;
  readonly tail?: number;
  readonly offset?: number;
  readonly limit?: number;
  readonly column?: number;
  readonly lineNumbers?: boolean;
  readonly encoding?: TextEncoding;
}

function lineRange({ head, tail, offset, limit, column }: ReadArguments): LineRange {
  const given = Object.entries({ head, tail, offset, limit, column }).filter(
    ([, value]) => value !== undefined,
  );
  const isRange = head === undefined && tail === undefined;
  if (!isRange && given.length > 1) {
    const names = given.map(([name]) => name).join(' and ');
    throw new ToolError(
      `${names} cannot be combined: use head, or tail, or offset with limit and column.`,
    );
  }
  if (tail !== undefined) return { kind: 'tail', count: tail };
  return {
    kind: 'from',
    offset: offset ?? 1,
    limit: head ?? limit ?? Infinity,
    ...(column === undefined ? {} : { column }),
  };
}

/**
 * Returns the text in the form of the official server: `head` without the end of its last line,
 * `tail` with line feeds only.
 */
function linesOf({ content, truncated }: TextWindow, { head, tail }: ReadArguments): string {
  if (tail !== undefined) return content.replaceAll('\r\n', '\n');
  return head === undefined || truncated ? content : content.replace(/\r?\n$/, '');
}

function refusePastEnd(offset: number | undefined, window: TextWindow): void {
  if (
    offset === undefined ||
    offset === 1 ||
    window.totalLines === undefined ||
    offset <= window.totalLines
  )
    return;
  throw new ToolError(`offset ${offset} is past the end: the file has ${window.totalLines} lines.`);
}

function continuation(window: TextWindow): string | undefined {
  if (!window.truncated) return undefined;
  const shown =
    window.startLine === undefined
      ? 'the end of the file'
      : `lines ${window.startLine}-${window.endLine}`;
  const column = window.nextColumn === undefined ? '' : ` and column ${window.nextColumn}`;
  const cut = window.nextColumn === undefined ? '' : '; the line is longer than one read returns';
  const next =
    window.nextOffset === undefined
      ? 'Ask for fewer lines or use offset and limit.'
      : `Continue with offset ${window.nextOffset}${column}.`;
  return `[Truncated: this is ${shown} of a file of ${window.size} bytes${cut}. ${next}]`;
}
