import type { ToolDefinition } from '@signalbox/mcp-core/server';

export const READ_ONLY: ToolDefinition['annotations'] = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
