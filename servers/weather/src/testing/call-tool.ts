import type { CallToolResult } from '@signalbox/mcp-core';
import type { InteractiveContext, ToolDefinition, ToolOutput } from '@signalbox/mcp-core/server';

/** Runs the handler of a tool like the server, without checking the arguments. */
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

/** The handler for unchecked arguments. */
type LooseHandler = (args: object, context: InteractiveContext) => Promise<ToolOutput> | ToolOutput;

function isResult(output: ToolOutput): output is CallToolResult {
  return 'content' in output;
}
