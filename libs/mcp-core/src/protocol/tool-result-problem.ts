import type { SamplingContent, SamplingMessage } from './client-features.ts';

/**
 * Describes why a conversation cannot be sampled: a message with tool results holds nothing else,
 * and the next message has a result for each tool call.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#tool-use-and-result-balance
 */
export function toolResultProblem(messages: readonly SamplingMessage[]): string | undefined {
  let awaited: readonly string[] = [];
  for (const message of messages) {
    const blocks = [message.content].flat() as readonly SamplingContent[];
    const results = blocks.filter((block) => block.type === 'tool_result');
    if (results.length > 0 && results.length < blocks.length)
      return 'a message with tool results must hold nothing else';
    const answered = new Set(results.map(({ toolUseId }) => toolUseId));
    if (awaited.some((id) => !answered.has(id))) return 'a tool result is missing';
    awaited = blocks.filter((block) => block.type === 'tool_use').map(({ id }) => id);
  }
  return awaited.length > 0 ? 'a tool result is missing' : undefined;
}
