import type { CallToolResult, ContentBlock } from '@signalbox/mcp-core';
import type { Artifact } from '../../ports/store/artifact.ts';
import type { Block, Message } from '../../ports/llm-provider.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import { ARTIFACT_KEY, MAX_ARTIFACT_BYTES, MAX_INLINE_BYTES, ownArtifact } from './artifacts.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';

/**
 * Largest image that is sent to a model, in bytes. As base64 it stays under the 5 MB that providers
 * accept.
 */
const MAX_MODEL_IMAGE_BYTES = 3_500_000;

/**
 * Maximum number of bytes of artifact images in one request to a model; the newest images count
 * first.
 */
const MAX_MODEL_IMAGES_BYTES = 16 * 1024 * 1024;

interface Binary {
  /** Description for people and models. */
  readonly what: string;
  readonly mediaType: string;
  /** Base64 text. */
  readonly data: string;
}

/**
 * Stores the long binary parts of a result as artifacts. An image stays as a block without data,
 * which `withImages` fills for the model. Other parts become a note.
 */
export async function storeBinaries(
  context: Uses<'clock' | 'newId'>,
  change: Change,
  { call, result }: { readonly call: ToolCall; readonly result: CallToolResult },
): Promise<CallToolResult> {
  if (!result.content.some((block) => isLong(binaryOf(block)))) return result;
  const content: ContentBlock[] = [];
  for (const block of result.content) {
    const binary = binaryOf(block);
    content.push(isLong(binary) ? await keep(context, change, { call, block, binary }) : block);
  }
  return { ...result, content };
}

async function keep(
  { newId, clock }: Uses<'clock' | 'newId'>,
  { sql, runId }: Change,
  {
    call,
    block,
    binary,
  }: { readonly call: ToolCall; readonly block: ContentBlock; readonly binary: Binary },
): Promise<ContentBlock> {
  const data = Buffer.from(binary.data, 'base64');
  const described = `${binary.what}, ${binary.mediaType}, ${data.length} bytes`;
  if (data.length > MAX_ARTIFACT_BYTES)
    return note(`${described}: not kept, because it is longer than ${MAX_ARTIFACT_BYTES} bytes`);
  const artifact: Artifact = {
    id: newId(),
    runId,
    callId: call.id,
    mediaType: binary.mediaType,
    text: '',
    data,
    bytes: data.length,
    originalBytes: data.length,
    createdAt: clock.now(),
  };
  await sql.insertArtifact(artifact);
  if (block.type !== 'image' || data.length > MAX_MODEL_IMAGE_BYTES)
    return {
      ...note(`${described}: kept as the artifact ${artifact.id}, which a person can open`),
      _meta: { [ARTIFACT_KEY]: artifact.id },
    };
  return {
    type: 'image',
    data: '',
    mimeType: binary.mediaType,
    _meta: { [ARTIFACT_KEY]: artifact.id },
  };
}

/** Returns the messages with the data of their artifact images, as far as one request has room. */
export async function withImages(
  read: Pick<StoreReader, 'artifact'>,
  messages: readonly Message[],
): Promise<readonly Message[]> {
  let room = MAX_MODEL_IMAGES_BYTES;
  const fill = async (block: ContentBlock): Promise<ContentBlock> => {
    const id = isReference(block) ? ownArtifact(block) : undefined;
    if (id === undefined) return block;
    const artifact = room > 0 ? await read.artifact(id) : undefined;
    if (artifact?.data === undefined || artifact.bytes > room)
      return note(`an image: kept as the artifact ${id}, and not shown again`);
    room -= artifact.bytes;
    return { type: 'image', data: artifact.data.toString('base64'), mimeType: artifact.mediaType };
  };
  const filled: Message[] = [];
  for (const message of messages.toReversed()) {
    const content: Block[] = [];
    for (const block of message.content)
      content.push(
        block.type === 'tool_result' && block.content.some(isReference)
          ? { ...block, content: await Promise.all(block.content.map(fill)) }
          : block,
      );
    filled.unshift(
      message.content.every((block, at) => block === content[at])
        ? message
        : { ...message, content },
    );
  }
  return filled;
}

function isReference(block: ContentBlock): boolean {
  return block.type === 'image' && block.data === '' && ownArtifact(block) !== undefined;
}

function binaryOf(block: ContentBlock): Binary | undefined {
  if (block.type === 'image')
    return { what: 'an image', mediaType: block.mimeType, data: block.data };
  if (block.type === 'audio')
    return { what: 'a sound', mediaType: block.mimeType, data: block.data };
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  const { uri, mimeType = 'application/octet-stream', blob } = block.resource;
  return { what: `the resource ${uri.slice(0, 500)}`, mediaType: mimeType, data: blob };
}

function isLong(binary: Binary | undefined): binary is Binary {
  return binary !== undefined && binary.data.length > MAX_INLINE_BYTES;
}

function note(text: string): ContentBlock {
  return { type: 'text', text: `[${text}]` };
}
