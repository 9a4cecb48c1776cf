import {
  toCallToolResult,
  type InteractiveContext,
  type ToolDefinition,
  type ToolOutput,
} from '@signalbox/mcp-core/server';

/** Runs the handler of a tool like the server, without checking the arguments. */
export async function callTool(
  tool: ToolDefinition,
  args: object,
  context: InteractiveContext,
): Promise<{ readonly text: string; readonly structured: unknown; readonly isError: boolean }> {
  const { content, structuredContent, isError } = toCallToolResult(
    await (tool.handler as LooseHandler)(args, context),
  );
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  return { text, structured: structuredContent, isError: isError === true };
}

/** The handler for unchecked arguments. */
type LooseHandler = (args: object, context: InteractiveContext) => Promise<ToolOutput> | ToolOutput;
