import { ToolError } from '@signalbox/mcp-core';
import { toCallToolResult, type ToolDefinition } from '@signalbox/mcp-core/server';

/** Default limit of a result, in bytes of JSON. */
export const defaultMaxResultBytes = 1024 * 1024;

export interface ResultLimit {
  /**
   * Maximum number of bytes of JSON for `content` and `structuredContent` together; default 1 MiB.
   */
  readonly maxBytes?: number;
  /** Advice in the error for a result that is too large; default: general advice. */
  readonly advice?: string;
}

/**
 * Returns the same tools with limited results: hosts close a connection after a line of 10 MiB, and
 * a model cannot use such a result. A larger result becomes an error with its size. Tools that can
 * return their results in pages do so themselves.
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
      const bytes = Buffer.byteLength(JSON.stringify(toCallToolResult(output)));
      if (bytes <= maxBytes) return output;
      throw new ToolError(
        `The result of ${tool.name} would be ${bytes} bytes of JSON; at most ${maxBytes} are sent. ${advice}`,
      );
    },
  }));
}

/**
 * Returns an upper limit of the JSON size of a value without serializing it: a character takes at
 * most six bytes.
 */
function sizeAtMost(value: unknown): number {
  if (typeof value === 'string') return value.length * 6 + 2;
  if (typeof value !== 'object' || value === null) return 25;
  let size = 2;
  for (const [name, member] of Object.entries(value))
    size += name.length * 6 + 4 + sizeAtMost(member);
  // Structured output without content is written twice, once as text.
  return 'structuredContent' in value && !('content' in value) ? size * 3 : size;
}
