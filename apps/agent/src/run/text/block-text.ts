import type { ContentBlock } from '@signalbox/mcp-core';

/** Returns the text of a block: of a text, or of an embedded text resource. */
export function blockText(block: ContentBlock): string | undefined {
  if (block.type === 'text') return block.text;
  return block.type === 'resource' && 'text' in block.resource ? block.resource.text : undefined;
}
