import { createHash } from 'node:crypto';
import type { Message } from '../ports/llm-provider.ts';

/**
 * Returns a tool call's id in the form that providers accept (`a-zA-Z0-9_-`, at most `maxLength`).
 * Other ids are mapped deterministically.
 */
export function wireCallId(id: string, maxLength = 64): string {
  return id.length <= maxLength && /^[a-zA-Z0-9_-]+$/.test(id)
    ? id
    : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/**
 * Returns the call ids of results: the provider's own ids for turns that are replayed verbatim,
 * mapped ids for others.
 */
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
