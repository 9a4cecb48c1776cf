import type { ContentBlock } from '@signalbox/mcp-core';
import type { Block, Message } from '../ports/llm-provider.ts';
import { type Media, partsOf, resultParts } from './content-parts.ts';

export function isContent(block: Block): block is ContentBlock {
  return (
    block.type !== 'tool_use' &&
    block.type !== 'tool_result' &&
    block.type !== 'reasoning' &&
    block.type !== 'refusal'
  );
}

/**
 * Returns a warning for each part of the newest messages that is sent as a placeholder. Earlier
 * messages were reported when they were new.
 */
export function lossesIn(messages: readonly Message[], takes: Media): readonly string[] {
  const newest = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const parts = newest.flatMap(({ content }) => [
    ...partsOf(content.filter(isContent), takes),
    ...content.flatMap((block) => (block.type === 'tool_result' ? resultParts(block, takes) : [])),
  ]);
  return parts.flatMap((part) =>
    part.type === 'text' && part.lost !== undefined
      ? [`The model cannot read ${part.lost}; a note was sent instead.`]
      : [],
  );
}
