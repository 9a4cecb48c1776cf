import { exceededLimit, MAX_JSON_DEPTH } from '../../json/json-limits.ts';
import type { Block, Message } from '../../ports/llm-provider.ts';

/**
 * Normalizes the calls of a model's message, so that each can be stored and answered: a repeated or
 * empty call id is replaced, and arguments that are nested too deeply become an invalid call. The
 * provider's own items of a changed message are left out, because they no longer agree with it.
 */
export function normalizeMessage(message: Message, newId: () => string): Message {
  const ids = new Set<string>();
  const content = message.content.map((block): Block => {
    if (block.type !== 'tool_use') return block;
    const isNew = block.id !== '' && !ids.has(block.id);
    ids.add(block.id);
    const call = isNew ? block : { ...block, id: newId() };
    if (exceededLimit(call.input, { maxDepth: MAX_JSON_DEPTH }) === undefined) return call;
    return {
      ...call,
      input: {},
      invalid: `they are nested more than ${MAX_JSON_DEPTH} levels deep.`,
    };
  });
  if (content.every((block, position) => block === message.content[position])) return message;
  return { role: message.role, content };
}
