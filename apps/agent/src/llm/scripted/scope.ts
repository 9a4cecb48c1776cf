import type { Block } from '../../ports/llm-provider.ts';
import type { Conversation, PastCall } from './conversation.ts';
import type { Scope } from './template.ts';

type ToolResult = Extract<Block, { type: 'tool_result' }>;

/**
 * Returns the values for templates: results by wire name and by label, the newest first, and the
 * newest failed call as `error`.
 */
export function scopeOf(
  conversation: Conversation,
  labels: ReadonlyMap<string, string>,
  groups: Scope['groups'],
): Scope {
  const results = new Map<string, unknown>();
  for (const call of conversation.calls) {
    if (call.result === undefined) continue;
    const view = viewOf(call, call.result);
    results.set(call.name, view);
    results.set(labels.get(call.id) ?? call.name, view);
  }
  const failed = conversation.newest.find((call) => call.result?.isError === true);
  return {
    groups,
    results,
    error: failed?.result === undefined ? undefined : viewOf(failed, failed.result),
  };
}

function viewOf(call: PastCall, result: ToolResult): { readonly [key: string]: unknown } {
  return {
    tool: call.name,
    input: call.input,
    text: result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
    content: result.content,
    structuredContent: result.structuredContent,
    isError: result.isError === true,
  };
}
