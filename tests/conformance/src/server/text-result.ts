import type { CallToolResult } from '@signalbox/mcp-core';

export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
