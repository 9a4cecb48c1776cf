import type { CallToolResult, ContentBlock } from '@signalbox/mcp-core';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { blockText } from '../text/block-text.ts';
import {
  ARTIFACT_KEY,
  insertTextArtifact,
  MAX_INLINE_BYTES,
  ownArtifact,
  previewText,
  storeLongText,
} from './artifacts.ts';
import { binaryOf, storeBinaries } from './binary-artifacts.ts';

interface ServerResult {
  readonly call: ToolCall;
  readonly result: CallToolResult;
}

/**
 * Returns a server's result in the form in which it is stored, with at most 64 KiB each of text,
 * binary data, structured content and everything else. Longer parts become artifacts of the run.
 */
export async function storeResultParts(
  context: Uses<'clock' | 'newId'>,
  change: Change,
  { call, result }: ServerResult,
): Promise<CallToolResult> {
  const small = withoutLongMeta(result);
  const withoutBinaries = await storeBinaries(context, change, { call, result: small });
  return storeManyParts(context, change, {
    call,
    result: await storeLongText(context, change, { call, result: withoutBinaries }),
  });
}

/** Removes long metadata, which nothing reads, from a result and its blocks. */
function withoutLongMeta(result: CallToolResult): CallToolResult {
  return {
    ...withoutLong(result),
    content: result.content.map(withoutLong),
  };
}

function withoutLong<T extends Pick<CallToolResult, '_meta'>>(part: T): T {
  const { _meta: meta, ...rest } = part;
  return meta === undefined || JSON.stringify(meta).length <= MAX_INLINE_BYTES ? part : (rest as T);
}

/**
 * Stores the parts of a result as an artifact if they are long together: a flood of short or empty
 * blocks, links with long descriptions, or members of later revisions.
 */
async function storeManyParts(
  context: Uses<'clock' | 'newId'>,
  change: Change,
  { call, result }: ServerResult,
): Promise<CallToolResult> {
  if (JSON.stringify(result).length - countedLength(result) <= MAX_INLINE_BYTES) return result;
  const { content, structuredContent, isError } = result;
  const own = ownArtifact(result);
  // The preview of a long text says how to read it.
  const shown = own === undefined ? [] : content.slice(0, 1);
  const parts = {
    content: content.slice(shown.length),
    ...(structuredContent === undefined ? {} : { structuredContent }),
  };
  const artifact = await insertTextArtifact(context, change, {
    call,
    text: JSON.stringify(parts, null, 1),
  });
  return {
    content: [...shown, { type: 'text', text: previewText(artifact) }],
    ...(isError === undefined ? {} : { isError }),
    _meta: { [ARTIFACT_KEY]: own ?? artifact.id },
  };
}

/** Returns the length of the parts that have a limit of their own. */
function countedLength({ content, structuredContent }: CallToolResult): number {
  const lengthOf = (block: ContentBlock): number =>
    (blockText(block) ?? binaryOf(block)?.data ?? '').length;
  return (
    content.reduce((sum, block) => sum + lengthOf(block), 0) +
    (structuredContent === undefined ? 0 : JSON.stringify(structuredContent).length)
  );
}
