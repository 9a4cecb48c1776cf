import { LlmError, type Message } from '../ports/llm-provider.ts';

/**
 * Checks that the next message answers every tool call, and that every tool result answers a call,
 * as providers require.
 * @throws LlmError `invalid`, naming the call
 */
export function assertPairedCalls(messages: readonly Message[]): void {
  let open = new Set<string>();
  for (const [at, { content }] of messages.entries()) {
    for (const block of content) {
      if (block.type === 'tool_result' && !open.delete(block.toolUseId))
        throw unpaired(
          `message ${at} has a result for the tool call "${block.toolUseId}", which the message before it does not make`,
        );
    }
    const [unanswered] = open;
    if (unanswered !== undefined)
      throw unpaired(`the tool call "${unanswered}" has no result in message ${at}`);
    open = new Set(content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
  }
  const [unanswered] = open;
  if (unanswered !== undefined) throw unpaired(`the tool call "${unanswered}" has no result`);
}

function unpaired(problem: string): LlmError {
  return new LlmError('invalid', `The conversation cannot be sent to a model: ${problem}.`);
}
