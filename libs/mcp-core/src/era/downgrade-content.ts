import type { AudioContent, ContentBlock, ResourceLink } from '../protocol/content.ts';
import type { Revision } from './revision.ts';

/** Converts content blocks that the revision lacks to text. */
export function downgradeContent(
  content: readonly ContentBlock[],
  revision: Revision,
): readonly ContentBlock[] {
  if (revision.hasAudio && revision.hasResourceLinks) return content;
  return content.map((block) => {
    if (block.type === 'audio' && !revision.hasAudio)
      return { type: 'text', text: describeAudio(block) };
    if (block.type === 'resource_link' && !revision.hasResourceLinks)
      return { type: 'text', text: describeLink(block) };
    return block;
  });
}

function describeAudio(block: AudioContent): string {
  return `[audio, ${block.mimeType}, ${String(Buffer.byteLength(block.data, 'base64'))} bytes: this client's protocol version cannot receive audio]`;
}

function describeLink(block: ResourceLink): string {
  const description = block.description === undefined ? '' : `: ${block.description}`;
  return `Resource ${block.title ?? block.name} <${block.uri}>${description}`;
}
