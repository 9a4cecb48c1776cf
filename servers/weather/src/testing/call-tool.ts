import type { CallToolResult } from '@signalbox/mcp-core';
import type { InteractiveContext, ToolDefinition, ToolOutput } from '@signalbox/mcp-core/server';

/** Runs a tool's handler as the server does after it checked the arguments. */
export async function callTool(
  tool: ToolDefinition,
  args: object,
  context: InteractiveContext,
): Promise<{ readonly text: string; readonly structured: unknown; readonly isError: boolean }> {
  const output = await (tool.handler as LooseHandler)(args, context);
  if (isResult(output)) {
    const text = output.content
      .map((block) => (block.type === 'text' ? block.text : ''))
      .join('\n');
    return { text, structured: output.structuredContent, isError: output.isError === true };
  }
  return { text: output.text ?? '', structured: output.structuredContent, isError: false };
}

/** Only the server knows that the arguments conform to the schema. */
type LooseHandler = (args: object, context: InteractiveContext) => Promise<ToolOutput> | ToolOutput;

function isResult(output: ToolOutput): output is CallToolResult {
  return 'content' in output;
}
