import type { CallToolResult, ContentBlock } from '@signalbox/mcp-core';
import type { Artifact } from '../../ports/store/artifact.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { headAndTail, wholeCharacters } from '../text/head-and-tail.ts';
import { blockText } from '../text/block-text.ts';

/**
 * Name of the tool that reads artifacts. Names of server tools contain `__`, so they cannot
 * collide.
 */
export const ARTIFACT_READ = 'artifact_read';

/** Longest text of a result that stays in the conversation, in bytes of UTF-8. */
export const MAX_INLINE_BYTES = 64 * 1024;

/** Maximum number of bytes stored of the text of one result. */
export const MAX_ARTIFACT_BYTES = 4 * 1024 * 1024;

/** Bytes of an artifact that the model reads without a call of `artifact_read`. */
const PREVIEW_BYTES = 16 * 1024;

/** Key in `_meta` with the artifact id of a result or of one of its blocks. */
export const ARTIFACT_KEY = 'dev.signalbox/artifact';

/**
 * Stores the long text of a result as an artifact. The returned result has the beginning and the
 * end of the text and says how to read the rest. Other results are returned unchanged.
 */
export async function storeLongText(
  context: Uses<'clock' | 'newId'>,
  change: Change,
  { call, result }: { readonly call: ToolCall; readonly result: CallToolResult },
): Promise<CallToolResult> {
  const long = longTextOf(result);
  if (long === undefined) return result;
  const artifact = await insertTextArtifact(context, change, { call, text: long.text });
  const { structuredContent: _structured, _meta: meta, ...rest } = result;
  return {
    ...rest,
    content: [{ type: 'text', text: previewText(artifact) }, ...long.others],
    _meta: { ...meta, [ARTIFACT_KEY]: artifact.id },
  };
}

/** Stores a text as an artifact, cut to `MAX_ARTIFACT_BYTES`. */
export async function insertTextArtifact(
  { newId, clock }: Uses<'clock' | 'newId'>,
  { sql, runId }: Change,
  { call, text: whole }: { readonly call: ToolCall; readonly text: string },
): Promise<Artifact> {
  const originalBytes = Buffer.byteLength(whole);
  const text =
    originalBytes > MAX_ARTIFACT_BYTES
      ? wholeCharacters(Buffer.from(whole).subarray(0, MAX_ARTIFACT_BYTES))
      : whole;
  const artifact: Artifact = {
    id: newId(),
    runId,
    callId: call.id,
    mediaType: 'text/plain',
    data: undefined,
    text,
    bytes: Buffer.byteLength(text),
    originalBytes,
    createdAt: clock.now(),
  };
  await sql.insertArtifact(artifact);
  return artifact;
}

/**
 * Returns the id of the artifact with the whole text of a shortened result, or of the first
 * artifact among its parts.
 */
export function artifactIdOf(result: CallToolResult): string | undefined {
  return ownArtifact(result) ?? result.content.map(ownArtifact).find((id) => id !== undefined);
}

/** Returns the artifact id in the `_meta` of a result or block itself. */
export function ownArtifact({ _meta: meta }: Pick<CallToolResult, '_meta'>): string | undefined {
  const id = meta?.[ARTIFACT_KEY];
  return typeof id === 'string' ? id : undefined;
}

interface LongText {
  readonly text: string;
  /** Blocks that stay in the result. */
  readonly others: readonly ContentBlock[];
}

/**
 * Returns the long text of a result. Long structured content counts too when the text beside it is
 * short, because both say the same.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content
 */
function longTextOf({ content, structuredContent }: CallToolResult): LongText | undefined {
  const text = content.flatMap((block) => blockText(block) ?? []).join('\n');
  if (Buffer.byteLength(text) > MAX_INLINE_BYTES)
    return { text, others: content.filter((block) => blockText(block) === undefined) };
  if (
    structuredContent === undefined ||
    Buffer.byteLength(JSON.stringify(structuredContent)) <= MAX_INLINE_BYTES
  )
    return undefined;
  return { text: JSON.stringify(structuredContent, null, 1), others: content };
}

/** Returns the beginning and the end of an artifact, and how to read the rest. */
export function previewText({ id, text, bytes, originalBytes }: Artifact): string {
  const { head, tail, missingBytes } = headAndTail(text, PREVIEW_BYTES);
  const lost =
    originalBytes > bytes
      ? ` The result had ${originalBytes} bytes; what came after the first ${bytes} was not kept.`
      : '';
  const next = JSON.stringify({ id, offset: Buffer.byteLength(head) });
  return `${head}\n[… ${missingBytes} of ${bytes} bytes left out here. All of it is the artifact ${id}: read on with ${ARTIFACT_READ} ${next} …${lost}]\n${tail}`;
}
