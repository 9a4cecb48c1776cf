import { createHash } from 'node:crypto';
import type { Message } from '../ports/llm-provider.ts';

/** A tool call's id in the form that the providers take (`a-zA-Z0-9_-`, at most `maxLength` of them); ids of another origin are mapped, always to the same one. */
export function wireCallId(id: string, maxLength = 64): string {
  return id.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(id)
    ? id
    : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** How the results of a conversation name their calls: those of turns that `isReplayed`, verbatim, by the provider's own ids, the others in mapped form. */
export function resultCallIds(
  messages: readonly Message[],
  isReplayed: (message: Message) => boolean,
  maxLength?: number,
): (id: string) => string {
  const own = new Set(
    messages
      .filter(isReplayed)
      .flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
      ),
  );
  return (id) => (own.has(id) ? id : wireCallId(id, maxLength));
}
