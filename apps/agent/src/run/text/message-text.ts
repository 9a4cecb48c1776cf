import type { Block } from '../../ports/llm-provider.ts';

/** The text a reader sees of a message: its text blocks, and refusals. */
export function messageText(content: readonly Block[]): string {
  return content
    .flatMap((block) => (block.type === 'text' || block.type === 'refusal' ? [block.text] : []))
    .join('');
}
