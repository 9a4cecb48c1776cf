import { type CallToolResult, ToolError } from '@signalbox/mcp-core';
import type { ToolDefinition, ToolOutput } from '@signalbox/mcp-core/server';

/** Bytes of JSON one result may take where nothing else is configured. */
export const defaultMaxResultBytes = 1024 * 1024;

export interface ResultLimit {
  /** Bytes of JSON, `content` and `structuredContent` together. Default 1 MiB. */
  readonly maxBytes?: number;
  /** What the caller should do about a result that is too large; default a general advice. */
  readonly advice?: string;
}

/**
 * The same tools, whose results stay within a limit: hosts close a connection that carries a line of 10 MiB, and a model cannot use one. A tool that can
 * answer in pieces does so itself; this is for what nobody thought of. A larger result becomes an error that says how large it would have been.
 */
export function limitResults(
  tools: readonly ToolDefinition[],
  { maxBytes = defaultMaxResultBytes, advice = 'Ask for less.' }: ResultLimit = {},
): ToolDefinition[] {
  return tools.map((tool) => ({
    ...tool,
    handler: async (args, context) => {
      const output = await tool.handler(args, context);
      if (sizeAtMost(output) <= maxBytes) return output;
      const bytes = Buffer.byteLength(JSON.stringify(resultOf(output)));
      if (bytes <= maxBytes) return output;
      throw new ToolError(
        `The result of ${tool.name} would be ${bytes} bytes of JSON; at most ${maxBytes} are sent. ${advice}`,
      );
    },
  }));
}

/** Output without content is sent as text, too. */
function resultOf(output: ToolOutput): Partial<CallToolResult> | readonly unknown[] {
  if ('content' in output) return output;
  return [
    output.structuredContent,
    'text' in output ? output.text : JSON.stringify(output.structuredContent),
  ];
}

/** The longest that the JSON text of a value can be, without making it: a character takes six bytes at most. */
function sizeAtMost(value: unknown): number {
  if (typeof value === 'string') return value.length * 6 + 2;
  if (typeof value !== 'object' || value === null) return 25;
  let size = 2;
  for (const [name, member] of Object.entries(value))
    size += name.length * 6 + 4 + sizeAtMost(member);
  // What has no content is written twice, once as text.
  return 'structuredContent' in value && !('content' in value) ? size * 3 : size;
}
