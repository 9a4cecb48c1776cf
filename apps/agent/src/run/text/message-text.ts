import type { Block } from '../../ports/llm-provider.ts';

/** Returns the visible text of a message: its text blocks and refusals. */
export function messageText(content: readonly Block[]): string {
  return content
    .flatMap((block) => (block.type === 'text' || block.type === 'refusal' ? [block.text] : []))
    .join('');
}
